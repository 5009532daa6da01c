import { Button, Checkbox, Group, JsonInput, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { AddButton } from '../intelligence/guide-fields.tsx'
import { ListItem, RemovedItem, useItems } from '../intelligence/list-item.tsx'
import { replaced } from '../intelligence/order.ts'
import { type AgentEditing, Section } from './builder-parts.tsx'
import {
  type DataField,
  type DataSchema,
  dataFieldsOf,
  type FieldType,
  fieldTypes,
  newField,
  schemaOf,
} from './data-fields.ts'

const maxFields = 40

/** Data that is stored with each call. */
export function DataToExtract({ agent, set, issues }: AgentEditing) {
  const schema = agent.data_schema
  const [isJson, setJson] = useState(() => !!schema && dataFieldsOf(schema) === undefined)
  const isFlat = !schema || dataFieldsOf(schema) !== undefined
  return (
    <Section
      title="Data to extract"
      about="Stored with each call after its end. A scripted agent fills the fields with the answers of the same key; an LLM extracts them from the conversation."
    >
      {isJson ? (
        <SchemaText
          schema={schema ?? null}
          set={(data_schema) => set({ data_schema })}
          error={issues.get('data_schema')}
        />
      ) : (
        <Fields
          // The names of fields are keys of the schema: a name that is being typed must not remove another field.
          key={String(isJson)}
          schema={schema ?? null}
          set={(data_schema) => set({ data_schema })}
          error={issues.get('data_schema')}
        />
      )}
      {isFlat && (
        <Group>
          <Button size="compact-sm" variant="subtle" onClick={() => setJson(!isJson)}>
            {isJson ? 'Edit as a list of fields' : 'Edit as JSON Schema'}
          </Button>
        </Group>
      )}
    </Section>
  )
}

interface Editing {
  schema: DataSchema | null
  set: (schema: DataSchema | null) => void
  error: string | undefined
}

function Fields({ schema, set, error }: Editing) {
  const [fields, setFields] = useState<DataField[]>(() => (schema && dataFieldsOf(schema)) ?? [])
  const [own, setOwn] = useState(schema)
  // Changes were discarded or saved.
  if (schema !== own) {
    setOwn(schema)
    setFields((schema && dataFieldsOf(schema)) ?? [])
  }
  const change = (changed: DataField[]) => {
    const made = changed.length === 0 ? null : schemaOf(changed)
    setFields(changed)
    setOwn(made)
    set(made)
  }
  const items = useItems(fields, change)
  return (
    <>
      {fields.map((field, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by their position
        <ListItem key={at} what={`Field ${at + 1}`} items={items} place={at} mayBeEmpty>
          <FieldInputs
            field={field}
            at={at}
            change={(part) => change(replaced(fields, at, { ...field, ...part }))}
            error={field.name === '' || isTwice(fields, field.name) ? error : undefined}
          />
        </ListItem>
      ))}
      <RemovedItem items={items} />
      <AddButton run={() => change([...fields, newField])} disabled={fields.length >= maxFields}>
        Add field
      </AddButton>
    </>
  )
}

const isTwice = (fields: readonly DataField[], name: string) => fields.filter((field) => field.name === name).length > 1

interface FieldEditing {
  field: DataField
  at: number
  change: (part: Partial<DataField>) => void
  error: string | undefined
}

function FieldInputs({ field, at, change, error }: FieldEditing) {
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          label="Name"
          aria-label={`Name of field ${at + 1}`}
          flex={1}
          placeholder="order_number"
          maxLength={64}
          error={error}
          value={field.name}
          onChange={({ currentTarget: { value } }) => change({ name: value.replaceAll(/[^A-Za-z0-9_]/g, '_') })}
        />
        <Select
          label="Type"
          aria-label={`Type of field ${at + 1}`}
          w={140}
          allowDeselect={false}
          data={[...fieldTypes]}
          value={field.type}
          onChange={(type) => change({ type: type as FieldType })}
        />
      </Group>
      <TextInput
        label="Description"
        aria-label={`Description of field ${at + 1}`}
        placeholder="The number on the invoice"
        maxLength={300}
        value={field.description}
        onChange={({ currentTarget: { value } }) => change({ description: value })}
      />
      <Checkbox
        label="Required: without it, no data is stored"
        checked={field.required}
        onChange={({ currentTarget: { checked } }) => change({ required: checked })}
      />
    </Stack>
  )
}

/** Invalid JSON stays in the field and is not saved. */
function SchemaText({ schema, set, error }: Editing) {
  const [text, setText] = useState(() => (schema ? JSON.stringify(schema, null, 2) : ''))
  const [own, setOwn] = useState(schema)
  // Changes were discarded or saved.
  if (schema !== own) {
    setOwn(schema)
    setText(schema ? JSON.stringify(schema, null, 2) : '')
  }
  const change = (changed: DataSchema | null) => {
    setOwn(changed)
    set(changed)
  }
  return (
    <JsonInput
      label="JSON Schema"
      description="Of type object. Keywords: type, description, enum, properties, required, items, minimum, maximum, maxItems"
      autosize
      minRows={4}
      maxRows={20}
      formatOnBlur
      validationError="Enter valid JSON"
      error={error}
      value={text}
      onChange={(value) => {
        setText(value)
        if (value.trim() === '') return change(null)
        try {
          change(JSON.parse(value))
        } catch {
          change({ type: 'invalid' })
        }
      }}
    />
  )
}
