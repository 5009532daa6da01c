import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { ApiError, api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { Copied } from '../dev/copy.tsx'

export interface Invitation {
  name: string
  email: string
  /** Undefined: only an owner may create a link to the account of an owner. */
  link: string | undefined
  /** An email with a link of its own is sent as well. */
  isMailed: boolean
}

export async function createLink(userId: number): Promise<string | undefined> {
  try {
    return (await api.post('/v1/users/{id}/invitation_link', { params: { id: userId } })).link
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  }
}

/** The known delivery state of the invitation, and the link to copy. */
export function InvitationLink({ invitation, close }: { invitation: Invitation | undefined; close: () => void }) {
  return (
    <Modal
      opened={invitation !== undefined}
      onClose={close}
      title={`Invitation for ${invitation?.name ?? ''}`}
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {invitation && (
        <Stack>
          <Text size="sm">
            <WhatHappens invitation={invitation} />
          </Text>
          {invitation.link && <Copied label="Invitation link" value={invitation.link} />}
          <Text size="sm" c="dimmed">
            A link works once, for 24 hours. It sets the password of the account: share it only with this user.
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function WhatHappens({ invitation: { name, email, link, isMailed } }: { invitation: Invitation }) {
  const { mail_server: hasMailServer } = useSession()
  if (!hasMailServer) {
    return link
      ? `No mail server is configured, so no email is sent. Copy the link and send it to ${name} yourself.`
      : 'No mail server is configured, so no email is sent. Ask an owner to copy the invitation link.'
  }
  if (!isMailed) return `Copy the link and send it to ${name} yourself. No email is sent.`
  return `An email with a link is being sent to ${email}.${link ? ' You can also copy a link and send it yourself.' : ''}`
}
