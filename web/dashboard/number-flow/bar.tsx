import { ActionIcon, Badge, Button, Group, Tooltip } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconFlask,
  IconHistory,
  IconLayoutDistributeVertical,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { count } from '../../kit/ui/format.ts'

/** Actions of the editor; undefined when not available. */
interface EditorActions {
  undo: (() => void) | undefined
  redo: (() => void) | undefined
  autoLayout: (() => void) | undefined
  saveDraft: (() => void) | undefined
  publish: (() => void) | undefined
  busy: 'publish' | 'draft' | undefined
}

/** Toolbar above the canvas: publication state and actions. */
export function FlowToolbar({
  version,
  state,
  issueCount,
  mayTest,
  test,
  list,
  drawing,
}: {
  version: number
  state: 'published' | 'changed' | 'draft'
  issueCount: number
  mayTest: boolean
  test: () => void
  list: () => void
  drawing: EditorActions | undefined
}) {
  return (
    <Group justify="space-between" gap="xs">
      <Group gap="xs" role="status">
        <Badge variant="light" color="green" tt="none">
          Version {version} is live
        </Badge>
        {state !== 'published' && (
          <Badge variant="light" color="yellow" tt="none">
            {state === 'changed' ? 'Unsaved changes' : 'Unpublished draft'}
          </Badge>
        )}
        {issueCount > 0 && (
          <Badge variant="light" color="red" tt="none" leftSection={<IconAlertTriangle size={11} />}>
            {count(issueCount, 'issue')}
          </Badge>
        )}
      </Group>
      <Group gap="xs">
        {drawing && (
          <>
            <Tool label="Undo" hint="Ctrl+Z" run={drawing.undo}>
              <IconArrowBackUp size={17} />
            </Tool>
            <Tool label="Redo" hint="Ctrl+Shift+Z" run={drawing.redo}>
              <IconArrowForwardUp size={17} />
            </Tool>
            <Tool label="Auto-layout" run={drawing.autoLayout}>
              <IconLayoutDistributeVertical size={17} />
            </Tool>
          </>
        )}
        <Tool label="Versions" run={list}>
          <IconHistory size={17} />
        </Tool>
        {mayTest && (
          <Button size="xs" variant="default" leftSection={<IconFlask size={15} />} onClick={test}>
            Test flow
          </Button>
        )}
        {drawing && (
          <>
            <Button
              size="xs"
              variant="default"
              disabled={!drawing.saveDraft}
              loading={drawing.busy === 'draft'}
              onClick={drawing.saveDraft}
            >
              Save draft
            </Button>
            <Button
              size="xs"
              disabled={!drawing.publish}
              loading={drawing.busy === 'publish'}
              onClick={drawing.publish}
            >
              Publish
            </Button>
          </>
        )}
      </Group>
    </Group>
  )
}

function Tool({
  label,
  hint,
  run,
  children,
}: {
  label: string
  hint?: string
  run: (() => void) | undefined
  children: ReactNode
}) {
  return (
    <Tooltip label={hint ? `${label} (${hint})` : label}>
      <ActionIcon variant="default" size={30} aria-label={label} disabled={!run} onClick={run}>
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
