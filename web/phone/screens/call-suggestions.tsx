import { ActionIcon, Anchor, Card, CopyButton, Group, Stack, Text, Title, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy, IconFileText, IconX } from '@tabler/icons-react'
import type { SuggestionShown } from '../../../src/domain/intelligence/suggestions.ts'
import { usePhone } from '../context.ts'
import { safeLink } from '../links.ts'
import { shownSuggestions } from '../suggestions.ts'

/** Passages of documents about what the customer has said. Their text is not interpreted. */
export default function CallSuggestions({ callId }: { callId: number }) {
  const { state, dispatch } = usePhone()
  const shown = shownSuggestions(state.suggestions, callId)
  return (
    <Stack gap={6} component="section" aria-label="Suggestions">
      <Title order={2} size="h6">
        Suggestions
      </Title>
      <Stack gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }} aria-live="polite">
        {shown.map((suggestion) => (
          <Suggestion
            key={suggestion.id}
            suggestion={suggestion}
            dismiss={() => dispatch({ type: 'dismissed', callId, id: suggestion.id })}
          />
        ))}
      </Stack>
    </Stack>
  )
}

function Suggestion({ suggestion, dismiss }: { suggestion: SuggestionShown; dismiss: () => void }) {
  const { heading, text, document, url } = suggestion
  const title = heading ?? document
  const href = safeLink(url ?? undefined)
  return (
    <Card withBorder padding="sm" component="li">
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
        <Text fw={650} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Text>
        <Group gap={2} wrap="nowrap">
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Tooltip label={copied ? 'Copied' : 'Copy'}>
                <ActionIcon variant="subtle" color="gray" aria-label={`Copy: ${title}`} onClick={copy}>
                  {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
                </ActionIcon>
              </Tooltip>
            )}
          </CopyButton>
          <Tooltip label="Dismiss">
            <ActionIcon variant="subtle" color="gray" aria-label={`Dismiss: ${title}`} onClick={dismiss}>
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
        {text}
      </Text>
      <Group gap={4} mt={6} wrap="nowrap" c="dimmed">
        <IconFileText size={14} stroke={1.7} aria-hidden style={{ flexShrink: 0 }} />
        <Text size="xs" truncate>
          {href ? (
            <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit underline="always">
              {document}
            </Anchor>
          ) : (
            document
          )}
        </Text>
      </Group>
    </Card>
  )
}
