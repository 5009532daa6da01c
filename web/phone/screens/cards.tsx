import { Anchor, Card, Stack, Text } from '@mantine/core'
import { usePhone } from '../context.ts'
import type { CardLine } from '../insight-cards.ts'
import { safeLink } from '../links.ts'

/** Insight cards of integrations. Their texts are not interpreted, and only safe links can be opened. */
export function Cards({ callId }: { callId: number | null }) {
  const { state } = usePhone()
  const cards = callId === null ? [] : (state.cards[callId] ?? [])
  return cards.map((lines, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: cards are only ever added at the end
    <Card key={index} withBorder padding="sm" component="section" aria-label="Insight card">
      <Stack gap={4}>
        {lines.map((line, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a card never change
          <Line key={row} line={line} />
        ))}
      </Stack>
    </Card>
  ))
}

function Line({ line: { type, text, label, link } }: { line: CardLine }) {
  const href = safeLink(link)
  const content = href ? (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
      {text}
    </Anchor>
  ) : (
    text
  )
  if (type === 'title') {
    return (
      <Text fw={650} size="sm" style={{ wordBreak: 'break-word' }}>
        {content}
      </Text>
    )
  }
  return (
    <Text size="sm" style={{ wordBreak: 'break-word' }}>
      {label && (
        <Text span c="dimmed" inherit>
          {label}{' '}
        </Text>
      )}
      {content}
    </Text>
  )
}
