import { Alert, Button, Group, Text } from '@mantine/core'
import { dateTime } from '../../kit/ui/format.ts'
import type { ShownVersion } from './versions.tsx'

interface ViewedProps {
  version: ShownVersion
  /** Undefined: the flow cannot be edited. */
  restore: (() => void) | undefined
  back: () => void
}

/** Above an earlier version of the flow. */
export function ViewedVersionNotice({ version, restore, back }: ViewedProps) {
  return (
    <Alert color="blue" variant="light" p="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          Viewing version {version.version}, published {dateTime(version.at)}.
        </Text>
        <Group gap="xs">
          {restore && (
            <Button size="compact-sm" onClick={restore}>
              Restore this version
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={back}>
            Back
          </Button>
        </Group>
      </Group>
    </Alert>
  )
}

/** Above a saved draft that differs from the published version. */
export function DraftNotice({ liveVersion, discard }: { liveVersion: number; discard: () => void }) {
  return (
    <Alert color="yellow" variant="light" p="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">You are editing a saved draft. Callers get version {liveVersion}.</Text>
        <Button size="compact-sm" variant="default" onClick={discard}>
          Discard draft
        </Button>
      </Group>
    </Alert>
  )
}

export function IssueNotices({ issues }: { issues: readonly string[] }) {
  return issues.map((issue) => (
    <Alert key={issue} color="red" variant="light" p="xs" role="alert">
      {issue}
    </Alert>
  ))
}
