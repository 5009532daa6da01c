import { Alert, Anchor, Badge, Button, Grid, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconCopy, IconMail, IconTrash, IconUserCheck, IconUserOff } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { UserForwarding } from '../../kit/account/call-forwarding.tsx'
import { ApiError, api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { useTeams } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { AvailabilityBadge } from '../../kit/ui/people.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { createLink, type Invitation, InvitationLink } from '../parts/invitation-link.tsx'
import { PersonFacts, PersonForm } from '../parts/person-form.tsx'
import { type Profile, useProfile } from '../parts/profile.ts'
import { DeactivatedBadge, useActivation } from '../parts/user-activation.tsx'
import { UserAvailability } from '../parts/user-availability.tsx'
import { UserDevices } from '../parts/user-devices.tsx'
import { UserTwoStep } from '../parts/user-two-step.tsx'
import { WorkingHours } from '../parts/working-hours.tsx'

const useUser = (id: string) =>
  useQuery({
    queryKey: ['users', 'one', id],
    refetchInterval: 5_000,
    queryFn: async () => {
      const [{ user }, { availability }] = await Promise.all([
        api.get('/v2/users/{id}', { params: { id } }),
        api.get('/v1/users/{id}/availability', { params: { id } }),
      ])
      return { ...user, availability }
    },
  })

export default function UserPage() {
  const { id = '' } = useParams()
  const session = useSession()
  const user = useUser(id)
  const profile = useProfile(id)
  const error = user.error ?? profile.error
  if (error && !(user.data && profile.data)) {
    const isGone = error instanceof ApiError && error.status === 404
    return (
      <Page title="User" lead={<BackLink />}>
        {isGone ? (
          <Empty title="User not found" />
        ) : (
          <ErrorAlert error={error} retry={() => void Promise.all([user.refetch(), profile.refetch()])} />
        )}
      </Page>
    )
  }
  if (!user.data || !profile.data) {
    return (
      <Page title="User" lead={<BackLink />}>
        <Skeleton height={280} />
      </Page>
    )
  }
  const may = isAdmin(session)
  return (
    <Page
      title={user.data.name}
      lead={<BackLink />}
      actions={may && <Actions profile={profile.data} isMe={session.user.id === user.data.id} />}
    >
      <Group gap="sm">
        {!profile.data.active ? (
          <DeactivatedBadge />
        ) : profile.data.confirmed ? (
          <AvailabilityBadge availability={user.data.availability} />
        ) : (
          <Badge variant="light" color="yellow" tt="none">
            Invitation pending
          </Badge>
        )}
        <Text size="sm" c="dimmed">
          {user.data.email} · created {dateTime(user.data.created_at)}
        </Text>
      </Group>
      {!profile.data.active && (
        <Alert color="gray" variant="light" icon={<IconUserOff size={18} />} title="This user is deactivated">
          They cannot sign in, their devices cannot register, and no call rings them. Name and calls are kept.
        </Alert>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="lg">
            <Section title="Profile">
              {may ? (
                <PersonForm key={profile.data.id} profile={profile.data} user={user.data} />
              ) : (
                <PersonFacts profile={profile.data} user={user.data} />
              )}
            </Section>
            <Section title="Working hours">
              <WorkingHours
                userId={user.data.id}
                timeZone={profile.data.time_zone}
                isUsed={user.data.availability_status === 'custom'}
                may={may}
              />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="lg">
            <Section title="Availability">
              <UserAvailability user={user.data} may={may} />
            </Section>
            <Section title="Devices">
              <UserDevices userId={user.data.id} may={may || session.user.id === user.data.id} />
            </Section>
            <Section title="Forwarding">
              <UserForwarding userId={user.data.id} may={may || session.user.id === user.data.id} />
            </Section>
            {may && (
              <Section title="Security">
                <UserTwoStep userId={user.data.id} name={user.data.name} />
              </Section>
            )}
            <Section title="Teams">
              <TeamsOf userId={user.data.id} />
            </Section>
            <Section title="Numbers">
              <NumbersOf userId={user.data.id} />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}

const BackLink = () => (
  <Anchor component={Link} to="/dashboard/users" size="sm">
    All users
  </Anchor>
)

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h4" mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

function Actions({ profile, isMe }: { profile: Profile; isMe: boolean }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [dialog, confirm] = useConfirm()
  const activation = useActivation()
  const [isBusy, setBusy] = useState(false)
  const [invitation, setInvitation] = useState<Invitation>()
  const { mail_server: hasMailServer } = useSession()
  const invite = async () => {
    setBusy(true)
    try {
      await api.post('/v1/users/{id}/invitation', { params: { id: profile.id } })
      notify(`Invitation created. An email is being sent to ${profile.email}; its link is valid for 24 hours.`)
    } catch (error) {
      notifyError(error)
    }
    setBusy(false)
  }
  const copyLink = async () => {
    setBusy(true)
    try {
      const { first_name, last_name, email } = profile
      const link = await createLink(profile.id)
      setInvitation({ name: `${first_name} ${last_name}`, email, link, isMailed: false })
    } catch (error) {
      notifyError(error)
    }
    setBusy(false)
  }
  const remove = () =>
    confirm({
      title: profile.confirmed
        ? `Delete ${profile.first_name} ${profile.last_name}?`
        : `Withdraw the invitation for ${profile.first_name} ${profile.last_name}?`,
      body: !profile.confirmed
        ? 'Its links stop working and the account is deleted. You can invite this address again.'
        : 'The user is signed out and can no longer receive calls. Their personal data is deleted within minutes. Their calls are kept without their name. This cannot be undone.',
      action: profile.confirmed ? 'Delete' : 'Withdraw',
      run: async () => {
        await api.delete('/v1/users/{id}', { params: { id: profile.id } })
        notify(profile.confirmed ? 'User deleted' : 'Invitation withdrawn')
        await navigate('/dashboard/users')
        // Only the lists: the queries of this page would fail for a deleted user.
        for (const queryKey of [['users', 'all'], ['users', 'directory'], ['users', 'availabilities'], ['teams']])
          await queries.invalidateQueries({ queryKey })
      },
    })
  return (
    <>
      {dialog}
      {activation.dialog}
      <InvitationLink invitation={invitation} close={() => setInvitation(undefined)} />
      {!profile.confirmed && (
        <Button variant="default" leftSection={<IconCopy size={16} />} loading={isBusy} onClick={() => void copyLink()}>
          Copy invitation link
        </Button>
      )}
      {!profile.confirmed && hasMailServer && (
        <Button variant="default" leftSection={<IconMail size={16} />} loading={isBusy} onClick={() => void invite()}>
          Resend invitation
        </Button>
      )}
      {!isMe && profile.confirmed && profile.active && (
        <Button
          variant="default"
          leftSection={<IconUserOff size={16} />}
          onClick={() => activation.deactivate(profile)}
        >
          Deactivate
        </Button>
      )}
      {!profile.active && (
        <Button leftSection={<IconUserCheck size={16} />} onClick={() => void activation.reactivate(profile)}>
          Reactivate
        </Button>
      )}
      {!isMe && (
        <Button variant="light" color="red" leftSection={<IconTrash size={16} />} onClick={remove}>
          {profile.confirmed ? 'Delete' : 'Withdraw invitation'}
        </Button>
      )}
    </>
  )
}

function TeamsOf({ userId }: { userId: number }) {
  const { data: teams, error } = useTeams()
  if (error) return <ErrorAlert error={error} />
  const mine = teams?.filter(({ users }) => users.some(({ id }) => id === userId)) ?? []
  if (teams && mine.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Not a member of any team. Add members under{' '}
        <Anchor component={Link} to="/dashboard/teams" size="sm" underline="always">
          Teams
        </Anchor>
        .
      </Text>
    )
  }
  return (
    <Group gap="xs">
      {mine.map(({ id, name }) => (
        <Anchor key={id} component={Link} to={`/dashboard/teams?team=${id}`} size="sm">
          {name}
        </Anchor>
      ))}
    </Group>
  )
}

function NumbersOf({ userId }: { userId: number }) {
  const { data, error } = useQuery({
    queryKey: ['users', 'numbers', userId],
    queryFn: async () =>
      (
        await api.get('/v2/users/{id}/numbers', {
          params: { id: userId },
          query: {
            per_page: 50,
          },
        })
      ).numbers,
  })
  if (error) return <ErrorAlert error={error} />
  if (data?.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No numbers assigned. This user receives only transferred calls.
      </Text>
    )
  }
  return (
    <Stack gap={4}>
      {data?.map(({ id, name, digits }) => (
        <Group key={id} justify="space-between" wrap="nowrap">
          <Anchor component={Link} to={`/dashboard/numbers/${id}`} size="sm">
            {name}
          </Anchor>
          <Text size="sm" c="dimmed">
            {digits}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}
