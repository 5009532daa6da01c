import { ActionIcon, Button, Group, Modal, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { IconFingerprint, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError, api, type ResponseOf } from '../api.ts'
import { base64url, bytesOf, canUsePasskeys, passkeyError } from '../passkey.tsx'
import { CheckedForm } from '../ui/checked-form.tsx'
import { useConfirm } from '../ui/confirm.tsx'
import { ErrorAlert } from '../ui/error-alert.tsx'
import { dateTime } from '../ui/format.ts'
import { FormModal } from '../ui/leave-form.tsx'
import { SaveError } from '../ui/save-error.tsx'
import { notify } from '../ui/toast.tsx'
import { SecuritySection } from './section.tsx'

type Passkey = ResponseOf<'/v1/session/passkeys'>['passkeys'][number]

const key = ['account', 'passkeys']

export function Passkeys() {
  const queries = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const [renamed, setRenamed] = useState<Passkey>()
  const [dialog, confirm] = useConfirm()
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: async () => (await api.get('/v1/session/passkeys')).passkeys,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: key })
  const remove = ({ id, name }: Passkey) =>
    confirm({
      title: `Remove the passkey ${name}?`,
      body: 'You can no longer sign in with it. Remove it from your device or password manager, too.',
      action: 'Remove',
      run: async () => {
        await api.delete('/v1/session/passkeys/{id}', { params: { id } })
        await refresh()
        notify('Passkey removed')
      },
    })
  return (
    <SecuritySection
      title="Passkeys"
      lead="Sign in with fingerprint, face or PIN instead of password and code. A passkey cannot be phished."
    >
      {dialog}
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton height={48} />}
      {data && (
        <Stack gap="md">
          {data.map((passkey) => (
            <Group key={passkey.id} justify="space-between" wrap="nowrap">
              <div>
                <Text size="sm" fw={550} style={{ wordBreak: 'break-word' }}>
                  {passkey.name}
                </Text>
                <Text size="xs" c="dimmed">
                  Added {dateTime(passkey.created_at)}
                  {passkey.last_used_at ? `, last used ${dateTime(passkey.last_used_at)}` : ', not used yet'}
                </Text>
              </div>
              <Group gap={4} wrap="nowrap">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Rename ${passkey.name}`}
                  onClick={() => setRenamed(passkey)}
                >
                  <IconPencil size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={`Remove ${passkey.name}`}
                  onClick={() => remove(passkey)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Group>
            </Group>
          ))}
          {data.length === 0 && <Text size="sm">No passkeys yet.</Text>}
          {canUsePasskeys() ? (
            <Group>
              <Button variant="default" leftSection={<IconFingerprint size={16} />} onClick={() => setAdding(true)}>
                Add passkey
              </Button>
            </Group>
          ) : (
            <Text size="sm" c="dimmed">
              This browser or address does not support passkeys.
            </Text>
          )}
        </Stack>
      )}
      <AddPasskey opened={isAdding} close={() => setAdding(false)} refresh={refresh} />
      {renamed && <RenamePasskey passkey={renamed} close={() => setRenamed(undefined)} refresh={refresh} />}
    </SecuritySection>
  )
}

interface CreationOptions {
  challenge: string
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  pubKeyCredParams: PublicKeyCredentialParameters[]
  timeout: number
  excludeCredentials: { id: string }[]
}

async function createPasskey(password: string): Promise<void> {
  const { options } = await api.post('/v1/session/passkeys/options', { body: { ...(password && { password }) } })
  const { challenge, rp, user, pubKeyCredParams, timeout, excludeCredentials } = options as CreationOptions
  const publicKey: PublicKeyCredentialCreationOptions = {
    challenge: bytesOf(challenge),
    rp,
    user: { ...user, id: bytesOf(user.id) },
    pubKeyCredParams,
    timeout,
    excludeCredentials: excludeCredentials.map(({ id }) => ({ id: bytesOf(id), type: 'public-key' })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  }
  const made = await navigator.credentials.create({ publicKey }).catch((error: unknown) => {
    throw passkeyError(error)
  })
  if (!(made instanceof PublicKeyCredential) || !(made.response instanceof AuthenticatorAttestationResponse)) {
    throw new Error('The browser created no passkey.')
  }
  const { clientDataJSON, attestationObject } = made.response
  await api.post('/v1/session/passkeys', {
    body: {
      id: made.id,
      type: 'public-key',
      client_data: base64url(clientDataJSON),
      attestation: base64url(attestationObject),
      transports: made.response.getTransports(),
    },
  })
}

interface DialogProps {
  close: () => void
  refresh: () => Promise<unknown>
}

function AddPasskey({ opened, close, refresh }: DialogProps & { opened: boolean }) {
  const [password, setPassword] = useState('')
  const leave = () => {
    setPassword('')
    reset()
    close()
  }
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => createPasskey(password),
    async onSuccess() {
      await refresh()
      notify('Passkey added')
      leave()
    },
  })
  const isWrong = error instanceof ApiError && error.message.startsWith('`password`')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <Modal opened={opened} onClose={leave} title="Add passkey" centered closeButtonProps={{ 'aria-label': 'Close' }}>
      <CheckedForm onSubmit={submit}>
        <Stack>
          <PasswordInput
            label="Current password"
            description="Leave blank if you sign in with single sign-on only"
            autoComplete="current-password"
            data-autofocus
            maxLength={200}
            value={password}
            error={isWrong && 'This is not your current password'}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {error && !isWrong && <SaveError error={error} title="Passkey not added" />}
          <Group justify="flex-end">
            <Button type="submit" loading={isPending}>
              Continue
            </Button>
          </Group>
        </Stack>
      </CheckedForm>
    </Modal>
  )
}

function RenamePasskey({ passkey, close, refresh }: DialogProps & { passkey: Passkey }) {
  const [name, setName] = useState(passkey.name)
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => api.put('/v1/session/passkeys/{id}', { params: { id: passkey.id }, body: { name: name.trim() } }),
    async onSuccess() {
      await refresh()
      close()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <FormModal opened close={close} title="Rename passkey" centered>
      {() => (
        <CheckedForm onSubmit={submit}>
          <Stack>
            <TextInput
              label="Name"
              required
              maxLength={60}
              data-autofocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            {error && <SaveError error={error} title="Passkey not renamed" />}
            <Group justify="flex-end">
              <Button type="submit" loading={isPending}>
                Save
              </Button>
            </Group>
          </Stack>
        </CheckedForm>
      )}
    </FormModal>
  )
}
