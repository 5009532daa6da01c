import { Alert, Badge, Button, Group, Modal, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, api } from '../api.ts'
import { sessionKey } from '../session-query.ts'
import { ErrorAlert } from '../ui/error-alert.tsx'
import { SaveError } from '../ui/save-error.tsx'
import { notify } from '../ui/toast.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { SecuritySection } from './section.tsx'
import { TwoStepSetup } from './two-step-setup.tsx'

const twoStepKey = ['account', 'two-step']

/** Whether the user enters a code at sign-in, and the recovery codes. */
export function TwoStep() {
  const queries = useQueryClient()
  const [open, setOpen] = useState<'setup' | 'renew' | 'disable'>()
  const { data, error, refetch } = useQuery({ queryKey: twoStepKey, queryFn: () => api.get('/v1/session/two_step') })
  const [areCodesShown, setCodesShown] = useState(false)
  const showsCodes = () => setCodesShown(true)
  const close = () => {
    setOpen(undefined)
    setCodesShown(false)
    void queries.invalidateQueries({ queryKey: twoStepKey })
    void queries.invalidateQueries({ queryKey: sessionKey })
  }
  return (
    <SecuritySection
      title="Two-step verification"
      lead="After your password you enter a code from an authenticator app on your phone."
    >
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton height={60} />}
      {data && !data.enabled && (
        <Group>
          <Button onClick={() => setOpen('setup')}>Set up two-step verification</Button>
        </Group>
      )}
      {data?.enabled && (
        <Stack gap="sm">
          <Group gap="xs">
            <Badge color="green" variant="light" tt="none">
              Enabled
            </Badge>
            {data.required && (
              <Text size="sm" c="dimmed">
                Required by your company
              </Text>
            )}
          </Group>
          <Text size="sm" c={data.recovery_codes_left < 3 ? 'red' : 'dimmed'}>
            {data.recovery_codes_left} of 10 recovery codes left. Each signs you in once if you lose your phone.
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={() => setOpen('renew')}>
              Create new recovery codes
            </Button>
            {!data.required && (
              <Button variant="light" color="red" onClick={() => setOpen('disable')}>
                Disable
              </Button>
            )}
          </Group>
        </Stack>
      )}
      <Modal
        opened={open !== undefined}
        onClose={close}
        title={open && titles[open]}
        centered
        closeOnClickOutside={false}
        // Codes are shown once: only the button that confirms that they are saved closes them.
        closeOnEscape={!areCodesShown}
        withCloseButton={!areCodesShown}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {open === 'setup' && <TwoStepSetup done={close} showsCodes={showsCodes} />}
        {(open === 'renew' || open === 'disable') && <Proof action={open} done={close} showsCodes={showsCodes} />}
      </Modal>
    </SecuritySection>
  )
}

const titles = {
  setup: 'Set up two-step verification',
  renew: 'Create new recovery codes',
  disable: 'Disable two-step verification',
}

/** Password and code, as a stolen session alone must not suffice. */
function Proof({
  action,
  done,
  showsCodes,
}: {
  action: 'renew' | 'disable'
  done: () => void
  showsCodes: () => void
}) {
  const [form, setForm] = useState({ password: '', code: '' })
  const [isChecked, setChecked] = useState(false)
  const [codes, setCodes] = useState<string[]>()
  const { mutate, error, isPending, reset } = useMutation({
    async mutationFn() {
      if (action === 'renew')
        return (await api.post('/v1/session/two_step/recovery_codes', { body: form })).recovery_codes
      await api.post('/v1/session/two_step/disable', { body: form })
      return undefined
    },
    onSuccess(made) {
      if (made) {
        setCodes(made)
        return showsCodes()
      }
      notify('Two-step verification disabled')
      done()
    },
  })
  if (codes) return <RecoveryCodes codes={codes} done={done} />
  const isPasswordWrong = error instanceof ApiError && error.message.startsWith('`password`')
  const isCodeWrong = error instanceof ApiError && error.message.startsWith('The `code`')
  const set = (part: Partial<typeof form>) => {
    setForm((before) => ({ ...before, ...part }))
    if (error) reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (form.password !== '' && form.code.trim() !== '') mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {action === 'renew' ? (
          <Text size="sm">Your present recovery codes stop working.</Text>
        ) : (
          <Alert color="orange" variant="light">
            Your password alone will then be enough to sign in.
          </Alert>
        )}
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          maxLength={200}
          data-autofocus
          value={form.password}
          error={
            (isPasswordWrong && 'This is not your current password') ||
            (isChecked && form.password === '' && 'Enter your current password')
          }
          onChange={(event) => set({ password: event.currentTarget.value })}
        />
        <TextInput
          label="Code"
          description="From your authenticator app, or a recovery code"
          autoComplete="one-time-code"
          required
          maxLength={20}
          value={form.code}
          error={
            (isCodeWrong && 'This code is incorrect or was used already. Wait for the next one.') ||
            (isChecked && form.code.trim() === '' && 'Enter a code')
          }
          onChange={(event) => set({ code: event.currentTarget.value })}
        />
        {error && !isPasswordWrong && !isCodeWrong && <SaveError error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={done}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} {...(action === 'disable' && { color: 'red' })}>
            {action === 'renew' ? 'Create codes' : 'Disable'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
