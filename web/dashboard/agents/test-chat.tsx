import {
  ActionIcon,
  Badge,
  Box,
  Button,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconPencil, IconRefresh, IconSend } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { type AgentSettings, agentIssues, hasLlm } from './agent.ts'
import classes from './agents.module.css'
import {
  type CallerTurn,
  type ChatReply,
  endWords,
  keysIn,
  reworded,
  type ShownChatLine,
  shownLines,
  upTo,
  withTurn,
} from './chat.ts'
import { useTargetNames } from './target-picker.tsx'
import { TurnDetails } from './turn-details.tsx'
import { isNotThere } from './use-agents.ts'

/** Chat with the AI agent as configured in the form, including unsaved changes. */
export function TestChat({ id, agent }: { id: string; agent: AgentSettings }) {
  const [turns, setTurns] = useState<CallerTurn[]>([])
  const isWhole = agentIssues(agent).size === 0
  const nameOf = useTargetNames()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['agents', id, 'chat', agent, turns],
    queryFn: () => api.post('/v1/ai_voice_agents/{id}/test-chat', { params: { id }, body: { settings: agent, turns } }),
    enabled: isWhole,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const { lines, ignored } = shownLines(data, turns)
  const end = data && endWords(data, nameOf)
  return (
    <Paper withBorder component="section" aria-label="Test chat">
      <Group justify="space-between" px="md" pt="md">
        <Title order={2} size="h4">
          Test chat
        </Title>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconRefresh size={14} />}
          disabled={turns.length === 0}
          onClick={() => setTurns([])}
        >
          Restart
        </Button>
      </Group>
      {isNotThere(error) ? (
        <Text size="sm" c="dimmed" p="md">
          Test chat is not available on this server. Call a number that uses the AI agent instead.
        </Text>
      ) : (
        <>
          <Lines
            lines={lines}
            isLlm={hasLlm(agent) && agent.brain === 'llm'}
            isBusy={isFetching}
            change={(turn, words) => {
              const before = turns[turn]
              if (before) setTurns(withTurn(turns, turn, reworded(before, words)))
            }}
            cut={(turn) => setTurns(upTo(turns, turn))}
          />
          <Stack gap="xs" px="md" pb="md">
            {!isWhole && (
              <Text size="sm" c="dimmed">
                Fix the errors in the form to use the test chat.
              </Text>
            )}
            {error && !isNotThere(error) && <ErrorAlert error={error} retry={() => void refetch()} />}
            {end && (
              <Text size="sm" fw={550} role="status">
                {end}.{ignored > 0 && ` ${ignored} later ${ignored === 1 ? 'input was' : 'inputs were'} ignored.`}
              </Text>
            )}
            <Collected reply={data} />
            <Composer disabled={!isWhole || end !== undefined} send={(turn) => setTurns([...turns, turn])} />
          </Stack>
        </>
      )}
    </Paper>
  )
}

function Lines({
  lines,
  isLlm,
  isBusy,
  change,
  cut,
}: {
  lines: ShownChatLine[]
  isLlm: boolean
  isBusy: boolean
  change: (turn: number, words: string) => void
  cut: (turn: number) => void
}) {
  const [edited, setEdited] = useState<number>()
  const list = useRef<HTMLUListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll to the latest line
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [lines.length])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable with the keyboard
    <ul className={classes.lines} aria-label="Test conversation" aria-busy={isBusy} ref={list} tabIndex={0}>
      {lines.map((line, at) => {
        const { turn } = line
        const key = `${at}:${line.text}`
        if (turn === undefined) {
          return (
            <li key={key} className={classes.reply}>
              <div className={classes.agent}>{line.text}</div>
              {line.details && isLlm && <TurnDetails turn={line.details} />}
            </li>
          )
        }
        return (
          <li key={key} className={classes.caller}>
            {edited === turn ? (
              <Edit
                words={line.text}
                done={(words) => {
                  setEdited(undefined)
                  if (words === '') cut(turn)
                  else if (words !== undefined && words !== line.text) change(turn, words)
                }}
              />
            ) : (
              <>
                <span>{line.text}</span>
                <ActionIcon
                  size="xs"
                  variant="transparent"
                  color="gray"
                  aria-label={`Edit: ${line.text}`}
                  onClick={() => setEdited(turn)}
                >
                  <IconPencil size={13} />
                </ActionIcon>
              </>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** Enter saves, an empty text removes this and all later inputs, Escape cancels. */
function Edit({ words, done }: { words: string; done: (words: string | undefined) => void }) {
  const [text, setText] = useState(words)
  return (
    <TextInput
      size="xs"
      autoFocus
      aria-label="Edit caller input"
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => done(text.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') done(text.trim())
        if (event.key === 'Escape') done(undefined)
      }}
    />
  )
}

function Collected({ reply }: { reply: ChatReply | undefined }) {
  const answers = Object.entries(reply?.collected ?? {})
  if (answers.length === 0) return null
  return (
    <Group gap={6}>
      {answers.map(([key, value]) => (
        <Badge key={key} variant="light" tt="none">
          {key}: {String(value)}
        </Badge>
      ))}
    </Group>
  )
}

function Composer({ disabled, send }: { disabled: boolean; send: (turn: CallerTurn) => void }) {
  const [inputType, setInputType] = useState<'text' | 'keys'>('text')
  const [words, setWords] = useState('')
  const given = inputType === 'keys' ? keysIn(words) : words.trim()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!given || disabled) return
    send(inputType === 'keys' ? { by: 'caller', keys: given } : { by: 'caller', text: given })
    setWords('')
  }
  return (
    <Box component="form" onSubmit={submit}>
      <Group gap="xs" wrap="nowrap">
        <SegmentedControl
          size="xs"
          aria-label="Caller input type"
          data={[
            { value: 'text', label: 'Speech' },
            { value: 'keys', label: 'Keys' },
          ]}
          value={inputType}
          onChange={(value) => setInputType(value as 'text' | 'keys')}
        />
        <TextInput
          flex={1}
          aria-label="Caller input"
          placeholder={inputType === 'keys' ? '4729#' : 'My parcel is broken'}
          maxLength={500}
          disabled={disabled}
          value={words}
          onChange={({ currentTarget }) => setWords(currentTarget.value)}
          rightSection={
            <ActionIcon type="submit" variant="light" size="sm" aria-label="Send" disabled={disabled || !given}>
              <IconSend size={14} />
            </ActionIcon>
          }
        />
      </Group>
    </Box>
  )
}
