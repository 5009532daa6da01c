import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  Paper,
  PasswordInput,
  Select,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type ResponseOf } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { count } from '../../kit/ui/format.ts'
import { notify } from '../../kit/ui/toast.tsx'
import { Copied } from '../dev/copy.tsx'
import { roles } from './profile.ts'

type Sso = ResponseOf<'/v1/company/sso'>
type MappedRole = Sso['role_map'][number]['role']

const key = ['company', 'sso']
const mappedRoles = roles.flatMap(({ value, label }) => (value === 'owner' ? [] : [{ value, label }]))

/** Single sign-on by OpenID Connect. Owners change it, admins read it. */
export function SsoSettings() {
  const queries = useQueryClient()
  const isOwner = useSession().user.roles.includes('owner')
  const [isOpen, setOpen] = useState(false)
  const [dialog, confirm] = useConfirm()
  const { data, error, refetch } = useQuery({ queryKey: key, queryFn: () => api.get('/v1/company/sso') })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={120} />
  const remove = () =>
    confirm({
      title: 'Remove single sign-on?',
      body: 'Users sign in with their passwords again; users without one reset it on the sign-in page. To set it up again you need the client secret.',
      action: 'Remove',
      run: async () => {
        await api.delete('/v1/company/sso')
        await queries.invalidateQueries({ queryKey: key })
        notify('Single sign-on removed')
      },
    })
  return (
    <Paper withBorder p="lg" component="section" aria-label="Single sign-on">
      {dialog}
      <Title order={2} size="h4" mb={4}>
        Single sign-on
      </Title>
      <Text size="sm" c="dimmed" mb="md" style={{ wordBreak: 'break-word' }}>
        {data.configured
          ? `OpenID Connect with ${data.issuer}. ${count(data.linked_users, 'user')} signed in so far.${data.forced ? ' Passwords are for owners only.' : ''}`
          : 'Users sign in with the accounts of your company, by OpenID Connect.'}
      </Text>
      {isOwner ? (
        <Group gap="xs">
          <Button variant={data.configured ? 'default' : 'filled'} onClick={() => setOpen(true)}>
            {data.configured ? 'Edit' : 'Set up single sign-on'}
          </Button>
          {data.configured && (
            <Button variant="light" color="red" onClick={remove}>
              Remove
            </Button>
          )}
        </Group>
      ) : (
        <Text size="sm">An owner can change this.</Text>
      )}
      {isOpen && (
        <SsoForm
          sso={data}
          close={() => setOpen(false)}
          saved={(sso) => {
            queries.setQueryData(key, sso)
            notify('Single sign-on saved')
          }}
        />
      )}
    </Paper>
  )
}

function SsoForm({ sso, close, saved }: { sso: Sso; close: () => void; saved: (sso: Sso) => void }) {
  const [draft, setDraft] = useState({ ...sso, role_claim: sso.role_claim ?? '' })
  const [domains, setDomains] = useState(sso.domains.join(', '))
  const [secret, setSecret] = useState('')
  // As it was when the drawer opened.
  const [loaded] = useState(sso)
  const set = (change: Partial<typeof draft>) => setDraft((now) => ({ ...now, ...change }))
  const submit = async () => {
    const { issuer, client_id, creates_users, trusts_email, role_claim, role_map, default_role, forced } = draft
    saved(
      await api.put('/v1/company/sso', {
        body: {
          issuer: issuer.trim(),
          client_id: client_id.trim(),
          ...(secret && { client_secret: secret }),
          domains: domains.split(/[\s,;]+/).filter(Boolean),
          creates_users,
          trusts_email,
          role_claim: role_claim.trim() || null,
          role_map: role_claim.trim() ? role_map.filter(({ value }) => value.trim()) : [],
          default_role,
          forced,
        },
        loaded,
      }),
    )
  }
  return (
    <FormDrawer title="Single sign-on" opened close={close} action="Save" submit={submit} size="lg">
      <div>
        <Copied label="Redirect URI" value={sso.redirect_uri} />
        <Text size="xs" c="dimmed" mt={4}>
          Register it at your provider, for a web application with the authorization code flow.
        </Text>
      </div>
      <TextInput
        label="Issuer URL"
        placeholder="https://login.example.com"
        required
        data-autofocus
        value={draft.issuer}
        onChange={(event) => set({ issuer: event.currentTarget.value })}
      />
      <TextInput
        label="Client ID"
        required
        value={draft.client_id}
        onChange={(event) => set({ client_id: event.currentTarget.value })}
      />
      <PasswordInput
        label="Client secret"
        description={sso.has_client_secret ? 'Leave blank to keep the stored one' : 'Leave blank for a public client'}
        autoComplete="off"
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
      />
      <TextInput
        label="Email domains"
        description="Only addresses at these domains are admitted. Separate several with commas"
        placeholder="example.com, example.org"
        value={domains}
        onChange={(event) => setDomains(event.currentTarget.value)}
      />
      <Switch
        label="Create users at their first sign-in"
        description="Otherwise only invited users are admitted"
        checked={draft.creates_users}
        onChange={(event) => set({ creates_users: event.currentTarget.checked })}
      />
      <Switch
        label="Trust email addresses without verification mark"
        description="For providers that never send email_verified. Addresses marked as not verified are always refused"
        checked={draft.trusts_email}
        onChange={(event) => set({ trusts_email: event.currentTarget.checked })}
      />
      <RoleMapping draft={draft} set={set} />
      <Switch
        label="Require single sign-on"
        description={
          sso.linked_users === 0
            ? 'Available once a user has signed in with it'
            : 'Passwords and passkeys of all but owners stop working, and their sessions end'
        }
        disabled={sso.linked_users === 0 && !draft.forced}
        checked={draft.forced}
        onChange={(event) => set({ forced: event.currentTarget.checked })}
      />
    </FormDrawer>
  )
}

interface Mapping {
  role_claim: string
  role_map: Sso['role_map']
  default_role: Sso['default_role']
}

const roleOf = (value: string | null): MappedRole | null =>
  mappedRoles.find((role) => role.value === value)?.value ?? null

function RoleMapping({ draft, set }: { draft: Mapping; set: (change: Partial<Mapping>) => void }) {
  const { role_claim, role_map, default_role } = draft
  const change = (index: number, to: Partial<Sso['role_map'][number]>) =>
    set({ role_map: role_map.map((one, at) => (at === index ? { ...one, ...to } : one)) })
  return (
    <Fieldset legend="Roles">
      <Stack gap="sm">
        <TextInput
          label="Role claim"
          description="Name of the claim with groups or roles. Leave blank to manage roles here; new users become agents"
          placeholder="groups"
          value={role_claim}
          onChange={(event) => set({ role_claim: event.currentTarget.value })}
        />
        {role_claim.trim() !== '' && (
          <>
            {role_map.map(({ value, role }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
              <Group key={index} wrap="nowrap" gap="xs">
                <TextInput
                  aria-label={`Value ${index + 1}`}
                  placeholder="phone-admins"
                  flex={1}
                  value={value}
                  onChange={(event) => change(index, { value: event.currentTarget.value })}
                />
                <Select
                  aria-label={`Role for value ${index + 1}`}
                  w={140}
                  allowDeselect={false}
                  data={mappedRoles}
                  value={role}
                  onChange={(next) => change(index, { role: roleOf(next) ?? 'agent' })}
                />
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={`Remove value ${index + 1}`}
                  onClick={() => set({ role_map: role_map.filter((_one, at) => at !== index) })}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Group>
            ))}
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPlus size={14} />}
              style={{ alignSelf: 'flex-start' }}
              onClick={() => set({ role_map: [...role_map, { value: '', role: 'agent' }] })}
            >
              Add value
            </Button>
            <Select
              label="Role without a match"
              placeholder="None: the sign-in is refused"
              clearable
              data={mappedRoles}
              value={default_role}
              onChange={(next) => set({ default_role: roleOf(next) })}
            />
            <Text size="xs" c="dimmed">
              Roles are updated at every sign-in. Owners keep their role.
            </Text>
          </>
        )}
      </Stack>
    </Fieldset>
  )
}
