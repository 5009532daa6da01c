import { Text } from '@mantine/core'
import { widgetAt } from '../../../src/domain/flow/document.ts'
import type { Chosen } from './canvas.tsx'
import type { FlowNames } from './catalogue.ts'
import type { Flow } from './flow.ts'
import type { FlowEdits } from './flow-edits.ts'
import { Palette, WidgetPanel } from './panel.tsx'
import type { FlowIssues } from './validate.ts'

interface Props {
  flow: Flow
  issues: FlowIssues
  names: FlowNames
  chosen: Chosen
  choose: (chosen: Chosen) => void
  change: (flow: Flow, group?: string) => void
  edits: FlowEdits
  readOnly: boolean
  isFixed: boolean
}

/** Next to the canvas: the settings of the selected widget, or the widgets that can be added. */
export function EditorPanel({ flow, issues, names, chosen, choose, change, edits, readOnly, isFixed }: Props) {
  const { add, copy, remove } = edits
  const id = chosen?.kind === 'widget' ? chosen.id : ''
  const widget = chosen?.kind === 'widget' ? widgetAt(flow, id) : undefined
  if (widget) {
    return (
      <WidgetPanel
        key={id}
        flow={flow}
        id={id}
        widget={widget}
        issues={issues.get(id) ?? []}
        names={names}
        readOnly={readOnly}
        change={change}
        addBehind={(slot, type) => add(type, undefined, { id, slot })}
        makeStart={() => change({ ...flow, start: id })}
        copy={() => copy(id)}
        remove={() => remove(chosen)}
        close={() => choose(undefined)}
      />
    )
  }
  if (!readOnly) return <Palette add={add} />
  return (
    <Text size="sm" c="dimmed" p="md">
      {isFixed
        ? 'Classic numbers have a fixed flow. Edit business hours, users and audio on the other tabs. Select a widget to view its settings.'
        : 'Select a widget to view its settings.'}
    </Text>
  )
}
