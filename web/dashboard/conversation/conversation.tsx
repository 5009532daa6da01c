import { Button, Group, Menu, Paper, Stack, Text, Title } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { api } from '../../kit/api.ts'
import {
  indexAt,
  partyNames,
  type SpeakerNames,
  type UtteranceShown,
  wordAt,
} from '../../kit/conversation/transcript.ts'
import { notifyError } from '../../kit/ui/toast.tsx'
import { useAgents } from '../agents/use-agents.ts'
import { languageName } from '../intelligence/settings.ts'
import { type Call, externalPartyName } from '../parts/call.ts'
import { useTraceNames } from '../parts/call-story.tsx'
import { Player, type PlayerHandle } from '../parts/player.tsx'
import { ActionItems } from './action-items.tsx'
import classes from './conversation.module.css'
import { type PlaybookResult, resultKey, useFacts, useResult } from './data.ts'
import type { Rerun } from './rerun.ts'
import { Card, Csat, Playbook, ResultOrReason, SentimentBadge, Template, Topics } from './results.tsx'
import { SuggestionsShown } from './suggestions-shown.tsx'
import { hasUncertainWords, Transcript } from './transcript.tsx'

/** Transcript and playback, for links from quotes to the audio. */
export interface Playback {
  utterances: readonly UtteranceShown[]
  /** Plays from a position; undefined without audio. */
  playFrom: ((seconds: number) => void) | undefined
}

/** Display names of the speakers. */
function useSpeakers(call: Call, hasAgents: boolean): SpeakerNames {
  const { user } = useTraceNames()
  const { data: agents } = useAgents(hasAgents)
  const party = externalPartyName(call)
  // biome-ignore lint/correctness/useExhaustiveDependencies: its inputs are new objects on each render
  return useMemo(
    () => ({
      user,
      agent: (id) => agents?.find((agent) => agent.id === id)?.name ?? 'AI agent',
      party: partyNames(call.raw_digits, party),
    }),
    [agents, party, call.raw_digits, user(call.user?.id ?? null)],
  )
}

/** Audio player with transcript. */
export function ConversationSection({
  call,
  rerun,
  actionsOf,
  children,
}: {
  call: Call
  rerun: Rerun
  actionsOf: (sound: 'recording' | 'voicemail') => ReactNode
  children: (playback: Playback) => ReactNode
}) {
  const player = useRef<PlayerHandle>(null)
  const [playing, setPlaying] = useState(-1)
  const [playingWord, setPlayingWord] = useState(-1)
  const [params] = useSearchParams()
  const { data, error } = useResult(call.id, 'transcription', {
    enabled: call.status === 'done',
    isAwaited: rerun.isGoingOn,
  })
  const transcript = error || data === null ? null : data?.transcription
  const words = data?.transcription
  const utterances = words?.content.utterances ?? []
  // A link from the search leads to a line; playback moves on from there.
  const linked = params.get('at')
  const current = playing === -1 && linked !== null ? indexAt(utterances, Number(linked)) : playing
  const hasAgents = utterances.some(({ ai_voice_agent_id }) => ai_voice_agent_id !== undefined)
  const names = useSpeakers(call, hasAgents)
  const facts = useFacts(call, transcript)
  // The transcript belongs to the recording or to the voicemail.
  const transcribed = words?.type === 'voicemail' ? 'voicemail' : 'recording'
  const play = useCallback((seconds: number) => player.current?.playFrom(seconds), [])
  const playFrom = words && call[transcribed] ? play : undefined
  const follow = (seconds: number) => {
    const line = indexAt(utterances, seconds)
    setPlaying(line)
    setPlayingWord(wordAt(utterances[line]?.words ?? [], seconds))
  }
  const sounds = (['recording', 'voicemail'] as const).filter((sound) => call[sound])
  if (call.status !== 'done') return null
  return (
    <>
      <Paper withBorder component="section" aria-label="Conversation">
        <Group justify="space-between" px="md" pt="md">
          <Title order={2} size="h4">
            Conversation
          </Title>
          {sounds.length > 0 && facts?.isOn && (
            <RegenerateMenu
              rerun={rerun}
              hasWords={words !== undefined}
              canTranscribe={facts.isSimulated || facts.canTranscribe === true}
            />
          )}
        </Group>
        {sounds.map((sound) => (
          <Player
            key={sound}
            url={call[sound] ?? ''}
            label={sound === 'recording' ? 'Recording' : 'Voicemail'}
            actions={actionsOf(sound)}
            {...(sound === transcribed && {
              handle: player,
              onTime: follow,
            })}
          />
        ))}
        {words ? (
          <>
            <Transcript
              utterances={utterances}
              names={names}
              current={current}
              currentWord={playing === -1 ? -1 : playingWord}
              seek={playFrom}
              fileName={`call-${call.id}.txt`}
            />
            <Text size="xs" c="dimmed" px="md" pb="sm">
              {languageName(words.content.language)}
              {utterances.some(hasUncertainWords) && (
                <>
                  {' · '}
                  <span className={classes.uncertain}>Dotted</span>: uncertain words
                </>
              )}
            </Text>
          </>
        ) : (
          <Stack px="md" py="sm">
            <ResultOrReason value={error ? null : data} output="transcription" facts={facts}>
              {() => null}
            </ResultOrReason>
          </Stack>
        )}
      </Paper>
      {children({ utterances, playFrom })}
    </>
  )
}

/** Repeats the analysis after a change of engines or guides. Manual edits are kept. */
function RegenerateMenu({
  rerun,
  hasWords,
  canTranscribe,
}: {
  rerun: Rerun
  hasWords: boolean
  canTranscribe: boolean
}) {
  const common = { size: 'compact-sm', variant: 'subtle', loading: rerun.isGoingOn } as const
  if (!hasWords && !canTranscribe) return null
  if (!hasWords) {
    return (
      <Button {...common} leftSection={<IconRefresh size={14} />} onClick={() => void rerun.start(true)}>
        Transcribe
      </Button>
    )
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button {...common} leftSection={<IconRefresh size={14} />}>
          Regenerate
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void rerun.start(false)}>Analysis only</Menu.Item>
        <Menu.Item disabled={!canTranscribe} onClick={() => void rerun.start(true)}>
          Transcript and analysis
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Results of the analysis. */
export function Insights({ call, isAwaited }: { call: Call; isAwaited: boolean }) {
  const queries = useQueryClient()
  const isOver = call.status === 'done'
  const { data: said, error } = useResult(call.id, 'transcription', { enabled: isOver })
  const asked = { enabled: isOver && Boolean(said), isAwaited }
  const summary = useResult(call.id, 'summary', asked).data
  const topics = useResult(call.id, 'topics', asked).data
  const moods = useResult(call.id, 'sentiments', asked).data
  const template = useResult(call.id, 'custom_summary_result', asked)
  const playbook = useResult(call.id, 'playbook_result', asked)
  const csat = useResult(call.id, 'predicted_csat', asked).data
  const facts = useFacts(call, said === undefined ? undefined : (said?.transcription ?? null))
  const names = useSpeakers(call, false)
  if (!isOver || error || (said === null && !call.recording && !call.voicemail)) return null
  const correct = async (name: string, result: boolean) => {
    try {
      const changed = await api.put('/v1/calls/{call_id}/playbook_result', {
        params: { call_id: call.id },
        body: {
          topics: [{ name, result }],
        },
      })
      queries.setQueryData<PlaybookResult>(resultKey(call.id, 'playbook_result'), (before) => ({
        ...before,
        ...changed,
      }))
    } catch (failure) {
      notifyError(failure)
    }
  }
  const correctSection = async (name: string, content: string) => {
    try {
      const changed = await api.put('/v1/calls/{call_id}/custom_summary_result', {
        params: { call_id: call.id },
        body: { sections: [{ name, content }] },
      })
      queries.setQueryData(resultKey(call.id, 'custom_summary_result'), changed)
    } catch (failure) {
      notifyError(failure)
    }
  }
  if (!said) return <ActionItems callId={call.id} isAwaited={isAwaited} facts={facts} />
  const isPro = !template.error
  return (
    <>
      <Card title="Summary">
        <ResultOrReason value={summary} output="summary" facts={facts}>
          {({ summary: { content } }) => (
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {content}
            </Text>
          )}
        </ResultOrReason>
        <ResultOrReason value={topics} output="topics" facts={facts}>
          {({ topic: { content } }) => <Topics topics={content} />}
        </ResultOrReason>
        <ResultOrReason value={moods} output="sentiments" facts={facts}>
          {({ sentiment: { participants } }) => (
            <Group gap={6}>
              {participants.map(({ phone_number, value }) => (
                <SentimentBadge key={phone_number ?? ''} mood={value} who={names.party(phone_number)} />
              ))}
            </Group>
          )}
        </ResultOrReason>
      </Card>
      <ActionItems callId={call.id} isAwaited={isAwaited} facts={facts} />
      {isPro && (template.data || facts?.hasTemplate) && (
        <Card title={template.data?.custom_summary.name ?? 'Template summary'}>
          <ResultOrReason value={template.data} output="custom_summary_result" facts={facts}>
            {(result) => <Template result={result} correct={correctSection} />}
          </ResultOrReason>
        </Card>
      )}
      {isPro && (playbook.data || facts?.hasPlaybook) && (
        <Card title={playbook.data?.playbook?.name ?? 'Playbook'}>
          <ResultOrReason value={playbook.data} output="playbook_result" facts={facts}>
            {(result) => <Playbook result={result} correct={(name, covered) => void correct(name, covered)} />}
          </ResultOrReason>
        </Card>
      )}
      {template.data !== undefined && <SuggestionsShown callId={call.id} />}
      <Card title="Predicted CSAT">
        <ResultOrReason value={csat} output="predicted_csat" facts={facts}>
          {({ csat: found }) => <Csat csat={found} />}
        </ResultOrReason>
      </Card>
    </>
  )
}
