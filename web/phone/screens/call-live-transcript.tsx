import { Stack, Title } from '@mantine/core'
import type { CallShown } from '../../../src/live/protocol.ts'
import { LiveTranscript } from '../../kit/conversation/live-transcript.tsx'
import { partyNames, type SpeakerNames } from '../../kit/conversation/transcript.ts'
import { useSession } from '../../kit/session.tsx'
import { usePhone } from '../context.ts'
import { otherParty } from '../selectors.ts'

/** The live transcript of the call, if transcription is on. */
export default function CallLiveTranscript({ call }: { call: CallShown }) {
  const { state } = usePhone()
  const { user } = useSession()
  const lines = call.call_id === null ? [] : (state.words[call.call_id] ?? [])
  const names: SpeakerNames = {
    user: (id) => (id === user.id ? 'You' : (call.people.find((one) => one.id === id)?.name ?? 'Unknown user')),
    agent: () => 'AI agent',
    party: partyNames(call.external ?? '', otherParty(call).title),
  }
  return (
    <Stack gap={4} component="section" aria-label="Live transcript">
      <Title order={2} size="h6">
        Live transcript
      </Title>
      <LiveTranscript lines={lines} names={names} />
    </Stack>
  )
}
