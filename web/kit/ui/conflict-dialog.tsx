import { Alert, Button, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  type ConflictChoice,
  type ConflictQuestion,
  contested,
  type Difference,
  differencesIn,
  sameValue,
  whenInConflict,
} from '../edits.ts'
import { dateTime } from './format.ts'
import { notify } from './toast.tsx'

interface Asked {
  question: ConflictQuestion
  answer: (choice: ConflictChoice) => void
}

/** Asks what becomes of changes that another user has overtaken. Once per app; every form uses it through `api.put`. */
export function ConflictDialog() {
  const queries = useQueryClient()
  const [asked, setAsked] = useState<Asked>()
  useEffect(() => whenInConflict((question) => new Promise((answer) => setAsked({ question, answer }))), [])
  const choose = (choice: ConflictChoice) => {
    setAsked(undefined)
    if (choice === 'theirs') {
      void queries.invalidateQueries()
      notify('Your changes were discarded. The form shows the saved version')
    }
    asked?.answer(choice)
  }
  return (
    <Modal
      opened={asked !== undefined}
      onClose={() => choose('edit')}
      title="Changed while you were editing"
      size="lg"
      centered
      // Above the drawer or dialog with the form.
      zIndex={270}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {asked && <Versions question={asked.question} choose={choose} />}
    </Modal>
  )
}

function Versions({ question, choose }: { question: ConflictQuestion; choose: (choice: ConflictChoice) => void }) {
  const { conflict } = question
  const isContested = contested(question).length > 0
  return (
    <Stack>
      <Text size="sm">
        <Text span fw={600} inherit>
          {editorOf(question)}
        </Text>{' '}
        saved other values{conflict.at ? ` on ${dateTime(conflict.at)}` : ''}. Your changes are not saved yet.
      </Text>
      <Table.ScrollContainer minWidth={300}>
        <Table aria-label="Versions" layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Field</Table.Th>
              <Table.Th>Saved version</Table.Th>
              <Table.Th>Your version</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differencesIn(question).map((one) => (
              <Table.Tr key={`${one.field} ${one.part}`}>
                <Table.Td>{labelOf(one)}</Table.Td>
                <Table.Td>
                  <Value value={one.current} other={one.loaded} />
                </Table.Td>
                <Table.Td>
                  {sameValue(one.mine, one.loaded) ? (
                    <Text size="sm" c="dimmed">
                      Not changed
                    </Text>
                  ) : (
                    <Value value={one.mine} other={one.current} />
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Alert variant="light" color={isContested ? 'yellow' : 'blue'} p="xs">
        {isContested
          ? 'Overwrite replaces the saved values of the fields that both of you changed.'
          : 'You changed other fields. Saving your version keeps the saved values of these.'}
      </Alert>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => choose('edit')} data-autofocus>
          Keep editing
        </Button>
        <Button variant="default" onClick={() => choose('theirs')}>
          Use saved version
        </Button>
        <Button {...(isContested && { color: 'red' })} onClick={() => choose('mine')}>
          {isContested ? 'Overwrite' : 'Save my changes'}
        </Button>
      </Group>
    </Stack>
  )
}

const editorOf = ({ conflict: { by, via } }: ConflictQuestion) =>
  by?.name ?? (via === 'api' ? 'An API client' : 'Another user')

const longest = 200

function Value({ value, other }: { value: unknown; other: unknown }) {
  const text = valueText(value)
  if (text === undefined) return <Text size="sm">{sameValue(value, other) ? 'Not changed' : 'Changed'}</Text>
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
      <bdi>{text.length > longest ? `${text.slice(0, longest)}…` : text || 'Blank'}</bdi>
    </Text>
  )
}

/** Undefined for a value with parts, whose JSON means nothing to the user. */
function valueText(value: unknown): string | undefined {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ') || 'None'
  return undefined
}

const labels: Record<string, string> = {
  url: 'Endpoint URL',
  custom_name: 'Name',
  role_ids: 'Roles',
  user_ids: 'Users',
  nodes: 'Widgets of the flow',
  start: 'First widget',
  time_zone: 'Time zone',
  live_recording_activated: 'Call recording',
  default_number_id: 'Default number',
  call_sound: 'Call audio',
  first_message: 'Greeting',
  brain: 'Mode',
  prompt: 'Instructions',
}

/** Widgets have names; the labels of other parts would be their ids. */
function labelOf({ field, part, current, loaded, mine }: Difference): string {
  if (part === undefined) return fieldLabel(field)
  const names = [loaded, current, mine].map((value) => (isNamed(value) ? value.name : null))
  return `Widget “${names.find((name) => name) ?? part}”`
}

const isNamed = (value: unknown): value is { name: string } =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string'

function fieldLabel(name: string): string {
  const words = labels[name] ?? name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
