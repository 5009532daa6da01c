import {
  Alert,
  Anchor,
  Button,
  Center,
  Paper,
  PasswordInput,
  Select,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { passwordAdvice, passwordProblem } from '../../src/domain/password-strength.ts'
import { ApiError, api } from './api.ts'
import { PasskeyButton } from './passkey.tsx'
import { asksForCode, CodeInput, SecondStep } from './second-step.tsx'
import { applySession, type Session, sessionKey } from './session-query.ts'
import { isSsoCallback, SsoButton, SsoCallback } from './sso.tsx'
import { ErrorAlert } from './ui/error-alert.tsx'
import { SaveError } from './ui/save-error.tsx'
import { browserZone } from './ui/time-zones.ts'

interface SignInProps {
  app: 'dashboard' | 'phone'
  /** The session that has ended on this page. */
  last: Session | undefined
  isInCall: boolean
}

/** The screens without a session: sign-in, password reset, and the links of invitation and reset emails. */
export function SignIn({ app, last, isInCall }: SignInProps) {
  const link = /^\/(?:invitation|password)\/([0-9a-f]{64})\/?$/.exec(window.location.pathname)?.[1]
  const [isForgotten, setForgotten] = useState(false)
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={400}>
        {last && (
          <Alert variant="light" color="orange" mb="md" role="status">
            Your session has ended. Sign in to continue where you left off.
            {isInCall && ' Your call stays connected.'}
          </Alert>
        )}
        {isSsoCallback() ? (
          <SsoCallback />
        ) : link ? (
          <AccountLink token={link} />
        ) : isForgotten ? (
          <ResetPassword back={() => setForgotten(false)} />
        ) : (
          <Password app={app} last={last} forgot={() => setForgotten(true)} />
        )}
      </Paper>
    </Center>
  )
}

function useEnter(last?: Session) {
  const queries = useQueryClient()
  return (session: Session) => {
    // Whether another site may embed this company's phone is decided when the page is loaded.
    const isFirstInFrame = window.parent !== window && !last
    // Cached data of one user must not be shown to another.
    const isAnother = last !== undefined && last.user.id !== session.user.id
    if (isFirstInFrame || isAnother) return window.location.reload()
    queries.setQueryData(sessionKey, applySession(session))
    void queries.invalidateQueries()
  }
}

function Password({ app, last, forgot }: Pick<SignInProps, 'app' | 'last'> & { forgot: () => void }) {
  const enter = useEnter(last)
  const [email, setEmail] = useState(last?.user.email ?? '')
  const [password, setPassword] = useState('')
  const [company, setCompany] = useState<string | null>(null)
  const [code, setCode] = useState('')
  const [hasSecondStep, setSecondStep] = useState(false)
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () =>
      api.post('/v1/session', {
        body: { email, password, ...(company && { company_id: Number(company) }), ...(hasSecondStep && { code }) },
      }),
    onSuccess: enter,
    onError(failure) {
      if (asksForCode(failure)) setSecondStep(true)
      else setCode('')
    },
  })
  const companies = error instanceof ApiError && error.status === 409 ? (error.details.companies ?? []) : []
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  if (hasSecondStep) {
    const back = () => {
      setSecondStep(false)
      setCode('')
      reset()
    }
    const shownError = error && !asksForCode(error) ? error : null
    return <SecondStep {...{ code, setCode, submit, isPending, back }} error={shownError} />
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <div>
          <Title order={1} size="h2">
            Sign in
          </Title>
          <Text c="dimmed" size="sm">
            {app === 'phone' ? 'Hookswitch phone app' : 'Hookswitch dashboard'}
          </Text>
        </div>
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {companies.length > 0 && (
          <Select
            label="Company"
            description="Your email address belongs to more than one company. Choose one."
            required
            data={companies.map((line) => {
              const [id = '', ...name] = line.split(' ')
              return { value: id, label: name.join(' ') }
            })}
            value={company}
            onChange={setCompany}
          />
        )}
        {error && companies.length === 0 && <SaveError error={error} title="Sign-in failed" />}
        <Button type="submit" loading={isPending}>
          Sign in
        </Button>
        <PasskeyButton enter={enter} />
        <SsoButton email={email} />
        <Anchor component="button" type="button" size="sm" onClick={forgot}>
          Forgot password?
        </Anchor>
      </Stack>
    </form>
  )
}

function ResetPassword({ back }: { back: () => void }) {
  const [email, setEmail] = useState('')
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: () => api.post('/v1/password_resets', { body: { email } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Title order={1} size="h2">
          Reset password
        </Title>
        {isSuccess ? (
          <Text>
            If an account uses this address, a reset link is sent to it. The link works once and expires after 24 hours.
            No email? Ask your administrator: a mail server may not be configured.
          </Text>
        ) : (
          <>
            <TextInput
              label="Email"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            {error && <SaveError error={error} />}
            <Button type="submit" loading={isPending}>
              Send reset link
            </Button>
          </>
        )}
        <Anchor component="button" type="button" size="sm" onClick={back}>
          Back to sign-in
        </Anchor>
      </Stack>
    </form>
  )
}

function AccountLink({ token }: { token: string }) {
  const enter = useEnter()
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [code, setCode] = useState('')
  const link = useQuery({
    queryKey: ['account-link', token],
    queryFn: () => api.post('/v1/account_links/look', { body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () =>
      api.post('/v1/account_links/use', {
        body: { token, password, time_zone: browserZone(), ...(code.trim() && { code }) },
      }),
    onSuccess(session) {
      window.history.replaceState(
        null,
        '',
        session.user.roles.every((role) => role === 'agent') ? '/phone' : '/dashboard',
      )
      enter(session)
      window.location.reload()
    },
  })
  if (link.error)
    return (
      <Stack>
        <ErrorAlert error={link.error} title="This link is no longer valid" />
        <Anchor href="/dashboard">Sign in</Anchor>
      </Stack>
    )
  if (!link.data) return <Text>Loading…</Text>
  const { kind, email, first_name, company_name, two_step: hasTwoStep } = link.data
  // The server decides: it also knows the last name.
  const problem = passwordProblem(password, [email, first_name, company_name])
  const isRefused = error !== null && Object.values(passwordAdvice).includes(error.message)
  const refusal = isChecked && problem ? passwordAdvice[problem] : isRefused && error.message
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!problem) mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <div>
          <Title order={1} size="h2">
            {kind === 'invitation' ? `Welcome, ${first_name}` : 'Reset password'}
          </Title>
          <Text c="dimmed" size="sm">
            {kind === 'invitation'
              ? `You have been invited to ${company_name}.`
              : `Account of ${email} at ${company_name}`}
          </Text>
        </div>
        <TextInput label="Email" value={email} readOnly autoComplete="username" />
        <PasswordInput
          label="Create password"
          description="At least 10 characters. Several unrelated words work best."
          autoComplete="new-password"
          required
          value={password}
          error={refusal}
          aria-invalid={refusal !== false}
          onBlur={() => setChecked(password !== '')}
          onChange={(event) => {
            setPassword(event.currentTarget.value)
            reset()
          }}
        />
        {hasTwoStep && <CodeInput code={code} setCode={setCode} />}
        {error && !isRefused && <SaveError error={error} />}
        <Button type="submit" loading={isPending}>
          {kind === 'invitation' ? 'Get started' : 'Save and sign in'}
        </Button>
      </Stack>
    </form>
  )
}
