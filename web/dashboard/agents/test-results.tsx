import { Accordion, Badge, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import type { ResponseOf } from '../../kit/api.ts'
import classes from './agents.module.css'

export type TestRun = ResponseOf<'/v1/ai_voice_agents/{id}/tests/run', 'post'>
export type TestResult = TestRun['results'][number]

const outcomes = {
  answered: 'Completed by the AI agent',
  escalated: 'Escalated',
  disconnected: 'Ended by the AI agent',
  caller_hung_up: 'Caller hung up',
} as const

/** Each test with its result; failed tests are open. */
export function TestResults({
  tests,
  run,
}: {
  tests: readonly { name: string; line: number }[]
  run: TestRun | undefined
}) {
  const resultOf = (name: string) => run?.results.find((one) => one.name === name)
  // Values become parts of ids, which have no spaces: lines, not names.
  const failed = tests.filter(({ name }) => resultOf(name)?.passed === false).map(({ line }) => String(line))
  return (
    // A new run opens its own failures.
    <Accordion multiple variant="separated" defaultValue={failed} key={JSON.stringify(failed)}>
      {tests.map(({ name, line }) => {
        const result = resultOf(name)
        return (
          <Accordion.Item key={name} value={String(line)}>
            <Accordion.Control icon={<State result={result} />}>
              <Group justify="space-between" wrap="nowrap" pr="xs">
                <Text size="sm" fw={550} className={classes.testName}>
                  {name}
                </Text>
                <Text size="xs" c="dimmed" className={classes.testFigures}>
                  {figures(result, line)}
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              {result ? (
                <Outcome result={result} />
              ) : (
                <Text size="sm" c="dimmed">
                  Not run yet.
                </Text>
              )}
            </Accordion.Panel>
          </Accordion.Item>
        )
      })}
    </Accordion>
  )
}

function State({ result }: { result: TestResult | undefined }) {
  if (!result) return <span className={classes.testState} role="img" aria-label="Not run" />
  return result.passed ? (
    <IconCheck size={18} color="var(--mantine-color-green-text)" role="img" aria-label="Passed" />
  ) : (
    <IconX size={18} color="var(--mantine-color-red-text)" role="img" aria-label="Failed" />
  )
}

function figures(result: TestResult | undefined, line: number): string {
  if (!result) return `line ${line}`
  const runs = result.runs > 1 ? `${result.passed_runs} of ${result.runs} runs · ` : ''
  return `${runs}${result.ms < 10 ? result.ms : Math.round(result.ms)} ms`
}

function Outcome({ result: { failures, conversation } }: { result: TestResult }) {
  const wrong = new Set(failures.flatMap(({ turn }) => (turn === null ? [] : [turn])))
  return (
    <Stack gap="sm">
      {failures.length > 0 && (
        <ul className={classes.failures} aria-label="Failures">
          {failures.map(({ line, field, message }) => (
            <li key={`${line}:${field}:${message}`}>
              <strong>{field}</strong>: {message} <span className={classes.failureLine}>line {line}</span>
            </li>
          ))}
        </ul>
      )}
      {conversation && (
        <>
          <ul className={classes.testLines} aria-label="Conversation">
            {conversation.lines.map(({ by, text }, at) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change
                key={at}
                className={by === 'agent' ? classes.agent : classes.caller}
                data-wrong={wrong.has(at) || undefined}
              >
                {text}
              </li>
            ))}
          </ul>
          <Group gap={6}>
            <Badge variant="light" color="gray" tt="none">
              {outcomes[conversation.outcome]}
              {conversation.reason === null ? '' : `: ${conversation.reason}`}
            </Badge>
            {Object.entries(conversation.answers).map(([key, value]) => (
              <Badge key={key} variant="light" tt="none">
                {key}: {String(value)}
              </Badge>
            ))}
            {conversation.tools.length > 0 && (
              <Badge variant="light" color="gray" tt="none">
                Tools: {conversation.tools.join(', ')}
              </Badge>
            )}
          </Group>
        </>
      )}
    </Stack>
  )
}
