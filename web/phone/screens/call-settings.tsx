import { Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { UserForwarding } from '../../kit/account/call-forwarding.tsx'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { notifyError } from '../../kit/ui/toast.tsx'
import { meKey, useMe } from '../data.ts'

/** Settings of the user that apply on every device. */
export function CallSettings() {
  const { user } = useSession()
  const { data: me } = useMe()
  return (
    <Stack gap="xs" component="section" aria-label="Your calls">
      <Text fw={600} size="sm">
        Your calls, on all devices
      </Text>
      <Preference
        label="Call waiting"
        description="A second call rings while you are on a call. Accepting it puts the first one on hold."
        saved={me?.call_waiting}
        save={(call_waiting) => api.put('/v1/me/call_waiting', { body: { call_waiting } })}
      />
      <Preference
        label="Voicemails by email"
        description={
          me?.email_available === false
            ? 'No mail server is configured: ask your administrator. Voicemails are in the list Voicemail.'
            : 'Voicemails of your numbers, with the transcript, if there is one, and a link.'
        }
        saved={me?.voicemail_emails}
        save={(voicemail_emails) => api.put('/v1/me/voicemail_emails', { body: { voicemail_emails } })}
      />
      <Text size="sm" fw={500}>
        Forward to a mobile number
      </Text>
      <UserForwarding userId={user.id} may />
    </Stack>
  )
}

interface PreferenceProps {
  label: string
  description: string
  /** Undefined: not read yet. */
  saved: boolean | undefined
  save: (isOn: boolean) => Promise<unknown>
}

function Preference({ label, description, saved, save }: PreferenceProps) {
  const queries = useQueryClient()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: save,
    onSettled: () => queries.invalidateQueries({ queryKey: meKey }),
    onError: (error) => notifyError(error, `${label} not changed`),
  })
  return (
    <Switch
      label={label}
      description={description}
      checked={isPending ? variables : (saved ?? false)}
      disabled={saved === undefined || isPending}
      onChange={(event) => mutate(event.currentTarget.checked)}
    />
  )
}
