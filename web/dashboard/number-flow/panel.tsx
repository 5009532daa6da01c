import {
  ActionIcon,
  Alert,
  Box,
  Button,
  Group,
  Menu,
  ScrollArea,
  Select,
  Stack,
  Text,
  TextInput,
  ThemeIcon,
  Title,
  UnstyledButton,
} from '@mantine/core'
import { IconArrowLeft, IconDots } from '@tabler/icons-react'
import { type WidgetType, widgetAt } from '../../../src/domain/flow/document.ts'
import { dragType } from './canvas.tsx'
import { type FlowNames, kinds, widgetTitle, widgetTypes } from './catalogue.ts'
import { WidgetFields } from './fields.tsx'
import { changeWidget, type Flow, setBranch, slotsOf, targetOf, type Widget } from './flow.ts'
import classes from './node.module.css'

/** The widgets to add, by click or by drag and drop. */
export function Palette({ add }: { add: (type: WidgetType) => void }) {
  return (
    <ScrollArea h="100%" type="auto">
      <Stack gap={2} p="sm">
        <Title order={2} size="h5">
          Add widget
        </Title>
        <Text size="xs" c="dimmed" mb={4}>
          Click a widget or drag it onto the canvas. Connect widgets by dragging from the dots at the bottom.
        </Text>
        {widgetTypes.map((type) => {
          const { label, icon: Icon, color, hint } = kinds[type]
          return (
            <UnstyledButton
              key={type}
              className={classes.tool ?? ''}
              draggable
              onDragStart={(event) => event.dataTransfer.setData(dragType, type)}
              onClick={() => add(type)}
            >
              <Group gap="sm" wrap="nowrap">
                <ThemeIcon variant="light" color={color} size={32} radius="md">
                  <Icon size={18} stroke={1.7} />
                </ThemeIcon>
                <Box miw={0}>
                  <Text size="sm" fw={550}>
                    {label}
                  </Text>
                  <Text size="xs" c="dimmed" truncate>
                    {hint}
                  </Text>
                </Box>
              </Group>
            </UnstyledButton>
          )
        })}
      </Stack>
    </ScrollArea>
  )
}

/** Settings of one widget: name, fields, branches and issues. */
export function WidgetPanel({
  flow,
  id,
  widget,
  issues,
  names,
  readOnly,
  change,
  addBehind,
  makeStart,
  copy,
  remove,
  close,
}: {
  flow: Flow
  id: string
  widget: Widget
  issues: string[]
  names: FlowNames
  readOnly: boolean
  change: (flow: Flow, group?: string) => void
  addBehind: (slot: string, type: WidgetType) => void
  makeStart: () => void
  copy: () => void
  remove: () => void
  close: () => void
}) {
  const { label, icon: Icon, color, hint } = kinds[widget.type]
  const set = (next: Widget) => change(changeWidget(flow, id, next), `widget ${id}`)
  const rename = (name: string) => {
    const { name: _, ...rest } = widget
    set(name === '' ? rest : { ...rest, name })
  }
  return (
    <ScrollArea h="100%" type="auto">
      <Stack gap="sm" p="sm">
        <Group gap="xs" wrap="nowrap">
          <ActionIcon variant="subtle" color="gray" aria-label="Back to the widget list" onClick={close}>
            <IconArrowLeft size={17} />
          </ActionIcon>
          <ThemeIcon variant="light" color={color} radius="md">
            <Icon size={17} stroke={1.7} />
          </ThemeIcon>
          <Box flex={1} miw={0}>
            <Title order={2} size="h5">
              {label}
            </Title>
            <Text size="xs" c="dimmed">
              {hint}
            </Text>
          </Box>
          {!readOnly && (
            <Menu position="bottom-end">
              <Menu.Target>
                <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${widgetTitle(widget)}`}>
                  <IconDots size={17} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item disabled={flow.start === id} onClick={makeStart}>
                  Set as start
                </Menu.Item>
                <Menu.Item onClick={copy}>Duplicate</Menu.Item>
                <Menu.Item color="red" onClick={remove}>
                  Delete
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
        {issues.length > 0 && (
          <Alert color="red" variant="light" p="xs" role="status">
            {issues.map((issue) => (
              <Text size="sm" key={issue}>
                {issue}
              </Text>
            ))}
          </Alert>
        )}
        <TextInput
          label="Name"
          placeholder={label}
          value={widget.name ?? ''}
          maxLength={64}
          readOnly={readOnly}
          onChange={({ currentTarget }) => rename(currentTarget.value)}
        />
        <WidgetFields widget={widget} change={set} names={names} readOnly={readOnly} />
        <BranchFields flow={flow} id={id} widget={widget} readOnly={readOnly} change={change} addBehind={addBehind} />
        <Text size="xs" c="dimmed">
          API ID: <code>{id}</code>
        </Text>
        {!readOnly && (
          <Button size="xs" variant="light" color="red" onClick={remove}>
            Delete widget
          </Button>
        )}
      </Stack>
    </ScrollArea>
  )
}

/** Keyboard-accessible alternative to dragging connections. */
function BranchFields({
  flow,
  id,
  widget,
  readOnly,
  change,
  addBehind,
}: {
  flow: Flow
  id: string
  widget: Widget
  readOnly: boolean
  change: (flow: Flow) => void
  addBehind: (slot: string, type: WidgetType) => void
}) {
  const slots = slotsOf(widget)
  if (slots.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {widget.type === 'go_to_number' ? 'The call continues in the flow of that number.' : 'The call ends here.'}
      </Text>
    )
  const choices = (slot: string) => [
    {
      group: 'Widgets',
      items: Object.entries(flow.nodes)
        .filter(([other, { type }]) => other !== id && (slot !== 'callback' || type === 'callback'))
        .map(([other, there]) => ({ value: `to:${other}`, label: nameIn(flow, other, there) })),
    },
    {
      group: 'New widget',
      items: (slot === 'callback' ? (['callback'] as const) : widgetTypes).map((type) => ({
        value: `new:${type}`,
        label: `New: ${kinds[type].label}`,
      })),
    },
  ]
  const pick = (slot: string, value: string | null) => {
    if (value === null) change(setBranch(flow, id, slot, undefined))
    else if (value.startsWith('to:')) change(setBranch(flow, id, slot, value.slice(3)))
    else addBehind(slot, value.slice(4) as WidgetType)
  }
  return (
    <Stack gap="xs" role="group" aria-label="Branches">
      <Text size="sm" fw={600} mt="xs">
        Branches
      </Text>
      {slots.map(({ name, label, mandatory }) => {
        const to = targetOf(widget, name)
        const isThere = to !== undefined && widgetAt(flow, to)
        return (
          <Select
            key={name}
            label={label}
            searchable
            clearable={!readOnly}
            clearButtonProps={{ 'aria-label': `Remove branch ${label}` }}
            readOnly={readOnly}
            placeholder={mandatory ? 'Not connected' : 'Hang up'}
            error={mandatory && !isThere}
            data={choices(name)}
            value={isThere ? `to:${to}` : null}
            onChange={(value) => pick(name, value)}
          />
        )
      })}
    </Stack>
  )
}

/** Widgets with the same name are distinguished by id. */
function nameIn(flow: Flow, id: string, widget: Widget): string {
  const title = widgetTitle(widget)
  const isAlone = Object.values(flow.nodes).filter((other) => widgetTitle(other) === title).length === 1
  return isAlone ? title : `${title} (${id})`
}
