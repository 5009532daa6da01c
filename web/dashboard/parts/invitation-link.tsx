import { Badge, Box, Button, CopyButton, Group, Modal, Stack, Text } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { ApiError, api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { errorMessage } from '../../kit/ui/error-alert.tsx'
import { Copied } from '../dev/copy.tsx'
import type { InvitationResult } from './invite-users.tsx'

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

/** The result of each address; one alone is shown like any other invitation. */
export function InvitationResults({ results, close }: { results: InvitationResult[] | undefined; close: () => void }) {
  const { mail_server: hasMailServer } = useSession()
  const [first, ...others] = results ?? []
  const isAlone = first !== undefined && others.length === 0 && first.problem === null
  const alone = isAlone
    ? { name: first.name, email: first.email, link: first.link ?? undefined, isMailed: true }
    : undefined
  const invited = results?.filter(({ user_id }) => user_id !== null) ?? []
  return (
    <>
      <InvitationLink invitation={alone} close={close} />
      <Modal
        opened={results !== undefined && !isAlone}
        onClose={close}
        title="Invitations"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text size="sm">
            {invited.length} of {results?.length ?? 0} invitations created.{' '}
            {hasMailServer
              ? 'An email is being sent to each invited user. You can also copy the links.'
              : 'No mail server is configured, so no email is sent: copy the links and send them yourself.'}
          </Text>
          <Stack gap={0} component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Invitations">
            {results?.map((result) => (
              <Result key={`${result.email}:${result.user_id}`} result={result} />
            ))}
          </Stack>
          <Text size="sm" c="dimmed">
            A link works once, for 24 hours. It sets the password of the account: share it only with this user.
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

function Result({ result: { name, email, link, problem, user_id: userId } }: { result: InvitationResult }) {
  return (
    <Box component="li" py="xs" style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Box miw={0}>
          <Text size="sm" fw={600} truncate>
            {name}
          </Text>
          <Text size="sm" c="dimmed" truncate>
            {email}
          </Text>
        </Box>
        {link ? (
          <CopyButton value={link} timeout={2_000}>
            {({ copied, copy }) => (
              <Button
                size="compact-sm"
                variant="default"
                flex="none"
                leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
                aria-label={`Copy invitation link for ${email}`}
                onClick={copy}
              >
                {copied ? 'Copied' : 'Copy invitation link'}
              </Button>
            )}
          </CopyButton>
        ) : (
          <Badge flex="none" variant="light" color={userId ? 'green' : 'red'} tt="none">
            {userId ? 'Invited' : 'Not invited'}
          </Badge>
        )}
      </Group>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)">
          {errorMessage(new Error(problem))}
        </Text>
      )}
    </Box>
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
