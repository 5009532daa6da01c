import { Accordion, Badge, Button, Checkbox, Group, Stack, Switch, Text } from '@mantine/core'
import { allEvents, eventGroups, getsAll } from './events.ts'

/** Event selection by group. */
export function EventToggles({
  value,
  onChange,
  readOnly = false,
}: {
  value: readonly string[]
  onChange: (names: string[]) => void
  readOnly?: boolean
}) {
  const wanted = new Set(value)
  const set = (names: readonly string[], isOn: boolean) => {
    const next = new Set(value)
    for (const name of names) isOn ? next.add(name) : next.delete(name)
    onChange([...next])
  }
  return (
    <Stack gap="xs">
      {!readOnly && (
        <Group gap="xs">
          <Button size="compact-sm" variant="default" disabled={getsAll(value)} onClick={() => set(allEvents, true)}>
            Select all {allEvents.length} events
          </Button>
          <Button size="compact-sm" variant="default" disabled={value.length === 0} onClick={() => onChange([])}>
            Clear selection
          </Button>
        </Group>
      )}
      <Accordion variant="contained" multiple chevronPosition="left">
        {eventGroups.map(({ label, hint, events }) => {
          const on = events.filter((name) => wanted.has(name))
          return (
            <Accordion.Item key={label} value={label}>
              <Group wrap="nowrap" gap="xs" pr="md">
                <Accordion.Control>
                  <Group gap="xs" justify="space-between" wrap="nowrap">
                    <div>
                      <Text size="sm" fw={550}>
                        {label}
                      </Text>
                      <Text size="xs" c="dimmed">
                        {hint}
                      </Text>
                    </div>
                    <Badge variant="light" color={on.length > 0 ? 'teal' : 'gray'} tt="none" flex="none">
                      {on.length} of {events.length}
                    </Badge>
                  </Group>
                </Accordion.Control>
                <Checkbox
                  aria-label={`All events: ${label}`}
                  disabled={readOnly}
                  checked={on.length === events.length}
                  indeterminate={on.length > 0 && on.length < events.length}
                  onChange={() => set(events, on.length < events.length)}
                />
              </Group>
              <Accordion.Panel>
                <Stack gap={8} pt={4}>
                  {events.map((name) => (
                    <Switch
                      key={name}
                      size="sm"
                      label={name}
                      disabled={readOnly}
                      checked={wanted.has(name)}
                      onChange={({ currentTarget }) => set([name], currentTarget.checked)}
                      styles={{ label: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
                    />
                  ))}
                </Stack>
              </Accordion.Panel>
            </Accordion.Item>
          )
        })}
      </Accordion>
    </Stack>
  )
}
