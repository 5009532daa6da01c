import { Button, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPhone, IconShare } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Copied } from '../dev/copy.tsx'
import type { Call } from './call.ts'

/** Opens the phone app with the number of the external party. */
export function CallBackLink({ raw_digits }: Pick<Call, 'raw_digits'>) {
  if (raw_digits === 'anonymous') return null
  return (
    <Button
      component="a"
      href={`/phone?dial=${encodeURIComponent(raw_digits)}`}
      target="_blank"
      leftSection={<IconPhone size={16} />}
    >
      Call back
    </Button>
  )
}

/** The link and the ID of the call, and links to its audio for people without an account. */
export function ShareCall({ call }: { call: Call }) {
  const [isOpen, dialog] = useDisclosure()
  return (
    <>
      <Button variant="default" leftSection={<IconShare size={16} />} onClick={dialog.open}>
        Share
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title="Share call"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Copied label="Link to this page, for users of the dashboard" value={pageOf(call)} />
          <Copied label="Call ID" value={String(call.id)} />
          <AudioLinks call={call} />
        </Stack>
      </Modal>
    </>
  )
}

const pageOf = ({ id }: Call) => `${window.location.origin}/dashboard/calls/${id}`

function AudioLinks({ call: { id, recording, voicemail } }: { call: Call }) {
  const hasAudio = recording !== null || voicemail !== null
  const { data, error, refetch } = useQuery({
    queryKey: ['call', String(id), 'short-urls'],
    queryFn: async () => (await api.get('/v1/calls/{id}', { params: { id }, query: { fetch_short_urls: true } })).call,
    enabled: hasAudio,
    // A link expires, so that each opening of the dialog reads a new one.
    gcTime: 0,
  })
  if (!hasAudio) {
    return (
      <Text size="sm" c="dimmed">
        This call has no recording and no voicemail.
      </Text>
    )
  }
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={60} />
  return (
    <>
      {data.recording_short_url && <Copied label="Link to the recording" value={data.recording_short_url} />}
      {data.voicemail_short_url && <Copied label="Link to the voicemail" value={data.voicemail_short_url} />}
      <Text size="sm" c="dimmed">
        Links to audio work for 3 hours, also without an account: share them only with people who may listen.
      </Text>
    </>
  )
}
