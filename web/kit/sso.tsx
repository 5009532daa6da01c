import { Anchor, Button, Loader, Select, Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, api } from './api.ts'
import { ErrorAlert } from './ui/error-alert.tsx'

// Single sign-on: this browser goes to the provider of the company, and comes back to /sso/callback.

const storageKey = 'hookswitch-sso'
const callbackPath = '/sso/callback'

export const isSsoCallback = () => window.location.pathname === callbackPath

/** Shown where single sign-on is set up. A provider does not open inside the frame of an embedded phone. */
export function SsoButton({ email }: { email: string }) {
  const { data } = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: () => api.get('/v1/sign_in_options'),
    staleTime: 60_000,
  })
  const [company, setCompany] = useState<string | null>(null)
  const [isMissing, setMissing] = useState(false)
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      api.post('/v1/sso/start', {
        body: { ...(email.includes('@') && { email }), ...(company && { company_id: Number(company) }) },
      }),
    onSuccess({ url, browser }) {
      const back = isSsoCallback() ? '/dashboard' : window.location.pathname + window.location.search
      window.sessionStorage.setItem(storageKey, JSON.stringify({ browser, back }))
      window.location.assign(url)
    },
  })
  if (!data || data.sso === 'none' || window.parent !== window) return null
  const companies = error instanceof ApiError && error.status === 409 ? (error.details.companies ?? []) : []
  const start = () => {
    const needsEmail = data.sso === 'by_email' && !email.includes('@')
    setMissing(needsEmail)
    if (!needsEmail) mutate()
  }
  return (
    <Stack gap="xs">
      {companies.length > 0 && (
        <Select
          label="Company for single sign-on"
          description="Several companies use this domain. Choose one."
          data={companies.map((line) => {
            const [id = '', ...name] = line.split(' ')
            return { value: id, label: name.join(' ') }
          })}
          value={company}
          onChange={setCompany}
        />
      )}
      {isMissing && (
        <Text size="sm" c="red" role="alert">
          Enter your email address first: it selects your company.
        </Text>
      )}
      {error && companies.length === 0 && <ErrorAlert error={error} title="Single sign-on failed" />}
      <Button variant="default" leftSection={<IconKey size={16} />} loading={isPending} onClick={start}>
        Sign in with SSO
      </Button>
    </Stack>
  )
}

/** The provider has redirected the browser back. */
export function SsoCallback() {
  const { error } = useQuery({
    queryKey: ['sso-callback', window.location.search],
    queryFn: finish,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!error) {
    return (
      <Stack align="center">
        <Loader role="status" aria-label="Loading" />
        <Text>Signing in…</Text>
      </Stack>
    )
  }
  return (
    <Stack>
      <ErrorAlert error={error} title="Sign-in failed" />
      <Anchor href="/dashboard">Back to sign-in</Anchor>
    </Stack>
  )
}

async function finish(): Promise<boolean> {
  const query = new URLSearchParams(window.location.search)
  const { browser, back } = storedRequest()
  window.sessionStorage.removeItem(storageKey)
  const [state, code, iss] = [query.get('state'), query.get('code'), query.get('iss')]
  const refusal = query.get('error')
  if (refusal) {
    throw new Error(`The provider refused the sign-in: ${query.get('error_description') ?? refusal}`.slice(0, 300))
  }
  if (!browser || !state || !code) {
    throw new Error('This page belongs to a sign-in that started in another tab or has ended. Start again.')
  }
  await api.post('/v1/sso/finish', { body: { state, code, browser, ...(iss && { iss }) } })
  // Only a path of ours.
  window.location.replace(/^\/(dashboard|phone|download|oauth)\b/.test(back) ? back : '/dashboard')
  return true
}

function storedRequest(): { browser: string; back: string } {
  try {
    const { browser, back } = JSON.parse(window.sessionStorage.getItem(storageKey) ?? '{}')
    return { browser: String(browser ?? ''), back: String(back ?? '') }
  } catch {
    return { browser: '', back: '' }
  }
}
