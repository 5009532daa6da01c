import { Badge, Group, Stack, Text } from '@mantine/core'
import classes from './agents.module.css'
import { type ChatTurn, knowledgeOf, shownMs, turnSummary } from './chat.ts'

/** What happened before a reply of the test chat: prompt, requests, tools, knowledge and time. */
export function TurnDetails({ turn }: { turn: ChatTurn }) {
  const { prompt, requests, problem } = turn
  if (requests.length === 0) return <p className={classes.turnFigures}>{turnSummary(turn)}</p>
  const knowledge = knowledgeOf(turn)
  return (
    <details className={classes.turn}>
      <summary>{turnSummary(turn)}</summary>
      <Stack gap="xs" mt="xs">
        {problem !== null && (
          <Text size="xs" c="red">
            The LLM could not reply: {problem}
          </Text>
        )}
        <details>
          <summary>Prompt</summary>
          <Stack gap={6} mt={6}>
            {prompt.map(({ data, text }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
              <section key={at} className={data === null ? undefined : classes.promptData} aria-label={partName(data)}>
                <Text size="xs" fw={600}>
                  {partName(data)}
                </Text>
                <pre>{text}</pre>
              </section>
            ))}
          </Stack>
        </details>
        {requests.map(({ messages, reply, first_ms: first, ms, tool_calls: calls }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
          <section key={at} aria-label={`Request ${at + 1}`}>
            <Group justify="space-between" gap="xs">
              <Text size="xs" fw={600}>
                Request {at + 1}
              </Text>
              <Text size="xs" c="dimmed">
                {messages} {messages === 1 ? 'message' : 'messages'}
                {first !== null && ` · first output ${shownMs(first)}`} · total {shownMs(ms)}
              </Text>
            </Group>
            {calls.map(({ tool, arguments: given, result }, call) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
              <div key={call} className={classes.toolCall}>
                <Badge size="sm" variant="light" color="gray" tt="none">
                  {tool}
                </Badge>
                <pre>{given}</pre>
                <pre>{result ?? 'Not run'}</pre>
              </div>
            ))}
            {reply.trim() !== '' && <pre>{reply}</pre>}
          </section>
        ))}
        <Text size="xs" c="dimmed">
          {knowledge}
        </Text>
        {turn.passages.map(({ document, text, by }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
          <section key={at} aria-label={`Passage ${at + 1}`} className={classes.promptData}>
            <Text size="xs" fw={600}>
              {document} · {by === 'meaning' ? 'similar meaning' : 'same words'}
            </Text>
            <pre>{text}</pre>
          </section>
        ))}
      </Stack>
    </details>
  )
}

const partName = (data: string | null) => (data === null ? 'Instructions' : `Data: ${data.replaceAll('_', ' ')}`)
