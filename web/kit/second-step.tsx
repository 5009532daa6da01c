import { Anchor, Button, Stack, Text, TextInput, Title } from '@mantine/core'
import type { FormEvent } from 'react'
import { ApiError } from './api.ts'
import { SaveError } from './ui/save-error.tsx'

/** The password is correct, and the account has two-step verification. */
export const asksForCode = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.details.two_step !== undefined

export function CodeInput({ code, setCode }: { code: string; setCode: (code: string) => void }) {
  return (
    <TextInput
      label="Code"
      description="From your authenticator app, or a recovery code"
      autoComplete="one-time-code"
      required
      maxLength={20}
      value={code}
      onChange={(event) => setCode(event.currentTarget.value)}
    />
  )
}

interface SecondStepProps {
  code: string
  setCode: (code: string) => void
  submit: (event: FormEvent) => void
  isPending: boolean
  error: Error | null
  back: () => void
}

/** The second screen of the sign-in. */
export function SecondStep({ code, setCode, submit, isPending, error, back }: SecondStepProps) {
  return (
    <form onSubmit={submit}>
      <Stack>
        <div>
          <Title order={1} size="h2">
            Two-step verification
          </Title>
          <Text c="dimmed" size="sm">
            Lost phone and recovery codes? An owner of your company can reset it.
          </Text>
        </div>
        <CodeInput code={code} setCode={setCode} />
        {error && <SaveError error={error} title="Sign-in failed" />}
        <Button type="submit" loading={isPending}>
          Sign in
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={back}>
          Back
        </Anchor>
      </Stack>
    </form>
  )
}
