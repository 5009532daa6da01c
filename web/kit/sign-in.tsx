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
import { ApiError, api } from './api.ts'
import { remember, type Session, sessionKey } from './session.tsx'
import { browserZone } from './ui/time-zones.ts'
import { Trouble } from './ui/trouble.tsx'

interface SignInProps {
  app: 'dashboard' | 'phone'
  /** The session that has ended on this page. */
  last: Session | undefined
  isInCall: boolean
}

/** Everything a person without a session sees: sign in, ask for a new password, follow a mailed link. */
export function SignIn({ app, last, isInCall }: SignInProps) {
  const link = /^\/(?:invitation|password)\/([0-9a-f]{64})\/?$/.exec(window.location.pathname)?.[1]
  const [isForgotten, setForgotten] = useState(false)
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={400}>
        {last && (
          <Alert variant="light" color="orange" mb="md" role="status">
            Your session has ended. Sign in to continue where you left off.
            {isInCall && ' Your call continues meanwhile.'}
          </Alert>
        )}
        {link ? (
          <Welcome token={link} />
        ) : isForgotten ? (
          <Forgotten back={() => setForgotten(false)} />
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
    // Inside a page of another site: whether it may show this company's phone is decided when the phone is loaded.
    const isFirstInFrame = window.parent !== window && !last
    // Nothing that one user has read may be shown to another.
    const isAnother = last !== undefined && last.user.id !== session.user.id
    if (isFirstInFrame || isAnother) return window.location.reload()
    queries.setQueryData(sessionKey, remember(session))
    void queries.invalidateQueries()
  }
}

function Password({ app, last, forgot }: Pick<SignInProps, 'app' | 'last'> & { forgot: () => void }) {
  const enter = useEnter(last)
  const [email, setEmail] = useState(last?.user.email ?? '')
  const [password, setPassword] = useState('')
  const [company, setCompany] = useState<string | null>(null)
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      api.post<Session>('/v1/session', { email, password, ...(company && { company_id: Number(company) }) }),
    onSuccess: enter,
  })
  const companies = error instanceof ApiError && error.status === 409 ? (error.details.companies ?? []) : []
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <div>
          <Title order={1} size="h2">
            {app === 'phone' ? 'Your phone' : 'Welcome back'}
          </Title>
          <Text c="dimmed" size="sm">
            Sign in to Hookswitch
          </Text>
        </div>
        <TextInput
          label="E-mail"
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
            label="Which company?"
            required
            data={companies.map((line) => {
              const [id = '', ...name] = line.split(' ')
              return { value: id, label: name.join(' ') }
            })}
            value={company}
            onChange={setCompany}
          />
        )}
        {error && companies.length === 0 && <Trouble error={error} title="You are not signed in" />}
        <Button type="submit" loading={isPending}>
          Sign in
        </Button>
        <Anchor component="button" type="button" size="sm" onClick={forgot}>
          I have forgotten my password
        </Anchor>
      </Stack>
    </form>
  )
}

function Forgotten({ back }: { back: () => void }) {
  const [email, setEmail] = useState('')
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: () => api.post('/v1/password_resets', { email }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Title order={1} size="h2">
          A new password
        </Title>
        {isSuccess ? (
          <Text>
            If an account with this address exists, an e-mail with a link is sent to it. The link works once, for 24
            hours. If no e-mail arrives, ask your administrator: this server may have no mail server.
          </Text>
        ) : (
          <>
            <TextInput
              label="E-mail"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            {error && <Trouble error={error} />}
            <Button type="submit" loading={isPending}>
              Send me a link
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

interface Link {
  kind: 'invitation' | 'reset'
  email: string
  first_name: string
  company_name: string
}

function Welcome({ token }: { token: string }) {
  const enter = useEnter()
  const [password, setPassword] = useState('')
  const look = useQuery({
    queryKey: ['account-link', token],
    queryFn: () => api.post<Link>('/v1/account_links/look', { token }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => api.post<Session>('/v1/account_links/use', { token, password, time_zone: browserZone() }),
    onSuccess(session) {
      // The link has done its work; what is left is the app.
      window.history.replaceState(
        null,
        '',
        session.user.roles.every((role) => role === 'agent') ? '/phone' : '/dashboard',
      )
      enter(session)
      window.location.reload()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  if (look.error)
    return (
      <Stack>
        <Trouble error={look.error} title="This link does not work any more" />
        <Anchor href="/dashboard">Go to sign-in</Anchor>
      </Stack>
    )
  if (!look.data) return <Text>One moment …</Text>
  const { kind, email, first_name, company_name } = look.data
  return (
    <form onSubmit={submit}>
      <Stack>
        <div>
          <Title order={1} size="h2">
            {kind === 'invitation' ? `Welcome, ${first_name}` : 'A new password'}
          </Title>
          <Text c="dimmed" size="sm">
            {kind === 'invitation' ? `You are invited to ${company_name}.` : `For ${email} at ${company_name}.`}
          </Text>
        </div>
        <TextInput label="E-mail" value={email} readOnly autoComplete="username" />
        <PasswordInput
          label="Choose a password"
          description="At least ten characters; several words that have nothing to do with each other are best"
          autoComplete="new-password"
          minLength={10}
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {error && <Trouble error={error} />}
        <Button type="submit" loading={isPending}>
          {kind === 'invitation' ? 'Start' : 'Save and sign in'}
        </Button>
      </Stack>
    </form>
  )
}
