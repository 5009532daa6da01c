import { Badge, Box, Group, Text, ThemeIcon } from '@mantine/core'
import { IconAlertTriangle, IconFlag } from '@tabler/icons-react'
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import { kinds } from './catalogue.ts'
import { slotsOf, targetOf, type Widget } from './flow.ts'
import { widgetWidth } from './layout.ts'
import classes from './node.module.css'

export type WidgetNode = Node<
  {
    widget: Widget
    summary: string
    issues: string[]
    isStart: boolean
    /** State in the test call. */
    visit: 'none' | 'visited' | 'current'
    readOnly: boolean
  },
  'widget'
>

/** A widget on the canvas with its summary, first issue and branches. */
export function WidgetBox({ data, selected }: NodeProps<WidgetNode>) {
  const { widget, summary, issues, isStart, visit, readOnly } = data
  const { label, icon: Icon, color } = kinds[widget.type]
  const slots = slotsOf(widget)
  return (
    <Box
      className={classes.box}
      w={widgetWidth(widget)}
      mod={{ selected, invalid: issues.length > 0, visited: visit !== 'none', current: visit === 'current' }}
    >
      <Handle type="target" position={Position.Top} className={classes.end ?? ''} isConnectable={!readOnly} />
      {isStart && (
        <Badge
          size="sm"
          variant="filled"
          tt="none"
          leftSection={<IconFlag size={10} />}
          pos="absolute"
          top={-10}
          left={10}
        >
          Start
        </Badge>
      )}
      <Group gap="xs" wrap="nowrap" align="flex-start" p="xs" pb={6}>
        <ThemeIcon variant="light" color={color} size={34} radius="md">
          <Icon size={19} stroke={1.7} />
        </ThemeIcon>
        <Box miw={0} flex={1}>
          <Text size="sm" fw={600} truncate>
            {widget.name || label}
          </Text>
          <Text size="xs" c="dimmed" lineClamp={2}>
            {widget.name ? `${label} · ${summary}` : summary}
          </Text>
        </Box>
      </Group>
      {issues.length > 0 && (
        <Group gap={4} px="xs" pb={6} wrap="nowrap" align="flex-start" c="var(--mantine-color-error)">
          <IconAlertTriangle size={13} style={{ flex: 'none', marginTop: 2 }} aria-hidden />
          <Text size="xs" lineClamp={2}>
            {issues[0]}
            {issues.length > 1 && ` (and ${issues.length - 1} more)`}
          </Text>
        </Group>
      )}
      {slots.length > 0 && (
        <div className={classes.slots}>
          {slots.map(({ name, label: title, mandatory }) => (
            <Box
              key={name}
              className={classes.slot}
              title={title}
              mod={{ missing: mandatory && targetOf(widget, name) === undefined }}
            >
              {title}
            </Box>
          ))}
          {slots.map(({ name }, nth) => (
            <Handle
              key={name}
              id={name}
              type="source"
              position={Position.Bottom}
              isConnectable={!readOnly}
              className={classes.handle ?? ''}
              style={{ left: `${((nth + 0.5) / slots.length) * 100}%` }}
            />
          ))}
        </div>
      )}
    </Box>
  )
}
