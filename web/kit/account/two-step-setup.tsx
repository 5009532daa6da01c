import { Button, Center, Code, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { renderSVG } from 'uqr'
import { ApiError, api, type ResponseOf } from '../api.ts'
import { errorMessage } from '../ui/error-alert.tsx'
import { SaveError } from '../ui/save-error.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Secret = ResponseOf<'/v1/session/two_step', 'post'>

/** Password, QR code and first code, recovery codes. */
export function TwoStepSetup({ done, showsCodes }: { done: () => void; showsCodes?: () => void }) {
  const [secret, setSecret] = useState<Secret>()
  const [codes, setCodes] = useState<string[]>()
  if (codes) return <RecoveryCodes codes={codes} done={done} />
  const confirmed = (made: string[]) => {
    setCodes(made)
    showsCodes?.()
  }
  if (secret) return <FirstCode secret={secret} confirmed={confirmed} />
  return <OwnPassword confirmed={setSecret} />
}

function OwnPassword({ confirmed }: { confirmed: (secret: Secret) => void }) {
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => api.post('/v1/session/two_step', { body: { password } }),
    onSuccess: confirmed,
  })
  const isWrong = error instanceof ApiError && error.message.startsWith('`password`')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (password !== '') mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">Have an authenticator app ready on your phone. First, confirm that it is you.</Text>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          maxLength={200}
          data-autofocus
          value={password}
          error={
            (isWrong && 'This is not your current password') ||
            (isChecked && password === '' && 'Enter your current password')
          }
          onChange={(event) => {
            setPassword(event.currentTarget.value)
            if (error) reset()
          }}
        />
        {error && !isWrong && <SaveError error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function FirstCode({ secret, confirmed }: { secret: Secret; confirmed: (codes: string[]) => void }) {
  const [code, setCode] = useState('')
  const [isChecked, setChecked] = useState(false)
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => api.post('/v1/session/two_step/confirm', { body: { code } }),
    onSuccess: ({ recovery_codes }) => confirmed(recovery_codes),
  })
  const isWrong = error instanceof ApiError && error.message.startsWith('`code`')
  const isComplete = /^\d{6}$/.test(code.replaceAll(/\s/g, ''))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (isComplete) mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">Scan this QR code with your authenticator app.</Text>
        <Center>
          <QrCode text={secret.uri} />
        </Center>
        <div>
          <Text size="sm" c="dimmed">
            Or enter this key in the app:
          </Text>
          <Code fz="md" style={{ overflowWrap: 'anywhere' }}>
            {secret.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
          </Code>
        </div>
        <TextInput
          label="Code"
          description="The six digits that the app shows now"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          maxLength={20}
          data-autofocus
          value={code}
          error={(isWrong && errorMessage(error)) || (isChecked && !isComplete && 'Enter the six digits of the app')}
          onChange={(event) => {
            setCode(event.currentTarget.value)
            setChecked(false)
            if (error) reset()
          }}
        />
        {error && !isWrong && <SaveError error={error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            Enable
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Black on white in both color schemes: scanners need the contrast. */
function QrCode({ text }: { text: string }) {
  const source = `data:image/svg+xml,${encodeURIComponent(renderSVG(text, { border: 2 }))}`
  return <img src={source} alt="QR code for your authenticator app" width={200} height={200} />
}
