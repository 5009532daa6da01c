import { Button, Stack } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api } from './api.ts'
import type { Session } from './session-query.ts'
import { ErrorAlert } from './ui/error-alert.tsx'

// WebAuthn in the browser: it asks the user for a fingerprint, face or PIN.

/** Not in frames of other sites, and not at an IP address: a passkey belongs to a host name. */
export const canUsePasskeys = () =>
  window.parent === window && typeof PublicKeyCredential !== 'undefined' && !/^[\d.]+$|:/.test(window.location.hostname)

export const base64url = (bytes: ArrayBuffer): string =>
  btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

export const bytesOf = (text: string): ArrayBuffer => {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0)).buffer
}

/** The message of a dialog that was closed or has timed out says nothing to a user. */
export const passkeyError = (error: unknown): Error => {
  const name = error instanceof Error ? error.name : ''
  if (name === 'NotAllowedError') return new Error('The passkey dialog was closed, or it timed out. Try again.')
  if (name === 'InvalidStateError') return new Error('This device already has a passkey for your account.')
  return error instanceof Error ? error : new Error('Something went wrong')
}

interface RequestOptions {
  challenge: string
  rpId: string
  timeout: number
}

async function signIn(): Promise<Session> {
  const { options } = await api.post('/v1/passkey_sign_in/options')
  const { challenge, rpId, timeout } = options as RequestOptions
  const publicKey = { challenge: bytesOf(challenge), rpId, timeout, userVerification: 'required' as const }
  const found = await navigator.credentials.get({ publicKey }).catch((error: unknown) => {
    throw passkeyError(error)
  })
  if (!(found instanceof PublicKeyCredential) || !(found.response instanceof AuthenticatorAssertionResponse)) {
    throw new Error('The browser returned no passkey.')
  }
  const { clientDataJSON, authenticatorData, signature } = found.response
  return api.post('/v1/passkey_sign_in', {
    body: {
      id: found.id,
      type: 'public-key',
      client_data: base64url(clientDataJSON),
      authenticator_data: base64url(authenticatorData),
      signature: base64url(signature),
    },
  })
}

export function PasskeyButton({ enter }: { enter: (session: Session) => void }) {
  const { mutate, error, isPending } = useMutation({ mutationFn: signIn, onSuccess: enter })
  if (!canUsePasskeys()) return null
  return (
    <Stack gap="xs">
      {error && <ErrorAlert error={error} title="Sign-in failed" />}
      <Button
        variant="default"
        leftSection={<IconFingerprint size={16} />}
        loading={isPending}
        onClick={() => mutate()}
      >
        Use a passkey
      </Button>
    </Stack>
  )
}
