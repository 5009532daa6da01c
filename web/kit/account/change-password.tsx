import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { passwordAdvice, passwordProblem } from '../../../src/domain/password-strength.ts'
import { ApiError, api } from '../api.ts'
import { useSession } from '../session.tsx'
import { errorMessage } from '../ui/error-alert.tsx'
import { SaveError } from '../ui/save-error.tsx'
import { notify } from '../ui/toast.tsx'
import { SecuritySection } from './section.tsx'
import { sessionsKey } from './sessions.tsx'

const empty = { password: '', wanted: '' }

export function ChangePassword() {
  const { user, company, mail_server: hasMailServer } = useSession()
  const queries = useQueryClient()
  const [form, setForm] = useState(empty)
  const [isChecked, setChecked] = useState(false)
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => api.put('/v1/session/password', { body: { password: form.password, new_password: form.wanted } }),
    async onSuccess() {
      setForm(empty)
      setChecked(false)
      notify(`Password changed. Your other sessions were signed out.${hasMailServer ? ' An email confirms it.' : ''}`)
      await queries.invalidateQueries({ queryKey: sessionsKey })
    },
  })
  const set = (part: Partial<typeof empty>) => {
    setForm((before) => ({ ...before, ...part }))
    if (error) reset()
  }
  const problem = passwordProblem(form.wanted, [user.email, user.first_name, user.last_name, company.name])
  const isRefused = error !== null && Object.values(passwordAdvice).includes(error.message)
  const isWrong = error instanceof ApiError && error.message.startsWith('`password`')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!problem && form.password !== '') mutate()
  }
  return (
    <SecuritySection title="Password" lead="Changing the password signs out all your other sessions.">
      <form onSubmit={submit} noValidate>
        <Stack maw={420}>
          {/* For password managers. */}
          <input type="hidden" autoComplete="username" value={user.email} readOnly />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            maxLength={200}
            value={form.password}
            error={
              (isWrong && 'This is not your current password') ||
              (isChecked && form.password === '' && 'Enter your current password')
            }
            onChange={(event) => set({ password: event.currentTarget.value })}
          />
          <PasswordInput
            label="New password"
            description="At least 10 characters. Several unrelated words work best."
            autoComplete="new-password"
            required
            maxLength={200}
            value={form.wanted}
            error={(isChecked && problem && passwordAdvice[problem]) || (isRefused && errorMessage(error))}
            onBlur={() => form.wanted !== '' && setChecked(true)}
            onChange={(event) => set({ wanted: event.currentTarget.value })}
          />
          {error && !isRefused && !isWrong && <SaveError error={error} title="Password not changed" />}
          <Group>
            <Button type="submit" loading={isPending}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </SecuritySection>
  )
}
