import { ActionIcon, Alert, Box, Button, Code, CopyButton, Group, Modal, Stack, Text, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** A value with a copy button. */
export function Copied({ label, value }: { label: string; value: string }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Group gap="xs" wrap="nowrap">
        <Code flex={1} p="xs" style={{ overflowWrap: 'anywhere', userSelect: 'all' }}>
          {value}
        </Code>
        <CopyIcon label={label} value={value} />
      </Group>
    </Stack>
  )
}

export function CopyIcon({ label, value }: { label: string; value: string }) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : 'Copy'}>
          <ActionIcon variant="light" color={copied ? 'teal' : 'gray'} aria-label={`Copy ${label}`} onClick={copy}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

/** Secrets that are shown once; the dialog closes only with its button. */
export function ShownOnce({
  title,
  secrets,
  children,
  close,
}: {
  title: string
  secrets: { label: string; value: string }[] | undefined
  children?: ReactNode
  close: () => void
}) {
  return (
    <Modal
      opened={secrets !== undefined}
      onClose={close}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" variant="light">
          This is shown only once. Copy it now and store it in a safe place.
        </Alert>
        {secrets?.map(({ label, value }) => (
          <Copied key={label} label={label} value={value} />
        ))}
        {children}
        <Group justify="flex-end">
          <Button onClick={close}>I have copied it</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Formatted JSON with a copy button. */
export function Json({ value, label, height = 320 }: { value: unknown; label: string; height?: number }) {
  const text = typeof value === 'string' ? pretty(value) : JSON.stringify(value, null, 2)
  return (
    <Box pos="relative">
      <Box pos="absolute" top={6} right={14}>
        <CopyIcon label={label} value={text} />
      </Box>
      <Code
        block
        mah={height}
        tabIndex={0}
        role="region"
        aria-label={label}
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', fontSize: 12 }}
      >
        {text}
      </Code>
    </Box>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
