import { Button, Group, Modal, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { ErrorAlert } from '../ui/error-alert.tsx'
import { useFormLeave } from '../ui/leave-form.tsx'
import { Empty } from '../ui/page.tsx'
import { useSmsTemplates, useWhatsappTemplates, type WhatsappTemplate } from './data.ts'
import css from './inbox.module.css'
import type { Channel, TemplateMessage } from './model.ts'
import { fieldsOf, previewOf, templateMessage, type Values } from './template-values.ts'

/** SMS templates are inserted into the draft; approved WhatsApp templates are sent with the values of their placeholders. */
export default function Templates({
  id,
  channel,
  close,
  insert,
  sendTemplate,
}: {
  id: string
  channel: Channel
  close: () => void
  insert: (body: string) => void
  sendTemplate: (template: TemplateMessage) => void
}) {
  const [chosen, setChosen] = useState<WhatsappTemplate>()
  const { form, leave, dialog, isAsking } = useFormLeave(close)
  return (
    <Modal
      opened
      onClose={leave}
      closeOnEscape={!isAsking}
      title={chosen ? chosen.name : 'Templates'}
      size="md"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {dialog}
      {chosen && (
        <div ref={form}>
          <ValuesForm template={chosen} back={() => setChosen(undefined)} sendTemplate={sendTemplate} />
        </div>
      )}
      {!chosen && channel === 'texts' && <SmsTemplates insert={insert} />}
      {!chosen && channel === 'whatsapp' && <WhatsappTemplates id={id} choose={setChosen} />}
    </Modal>
  )
}

function SmsTemplates({ insert }: { insert: (body: string) => void }) {
  const { data, error, refetch } = useSmsTemplates()
  return (
    <Choices
      error={error}
      retry={() => void refetch()}
      choices={data?.map(({ id, name, body }) => ({ id, name, body, choose: () => insert(body) }))}
      empty={<Empty title="No templates yet">An admin can create templates in the dashboard, under Messages.</Empty>}
    />
  )
}

function WhatsappTemplates({ id, choose }: { id: string; choose: (template: WhatsappTemplate) => void }) {
  const { data, error, refetch } = useWhatsappTemplates(id, true)
  return (
    <Choices
      error={error}
      retry={() => void refetch()}
      choices={data?.map((template) => ({
        id: template.id,
        name: `${template.name} (${template.language})`,
        body: previewOf(template, {}).body,
        choose: () => choose(template),
      }))}
      empty={
        <Empty title="No approved templates">
          Templates of the WhatsApp Business Account appear here after WhatsApp has approved them.
        </Empty>
      }
    />
  )
}

interface Choice {
  id: number
  name: string
  body: string
  choose: () => void
}

function Choices({
  choices,
  error,
  retry,
  empty,
}: {
  choices: Choice[] | undefined
  error: unknown
  retry: () => void
  empty: React.ReactNode
}) {
  const [query, setQuery] = useState('')
  if (error) return <ErrorAlert error={error} retry={retry} />
  if (!choices) return <Text c="dimmed">Loading…</Text>
  if (choices.length === 0) return empty
  const wanted = query.trim().toLowerCase()
  const found = choices.filter(({ name, body }) => `${name} ${body}`.toLowerCase().includes(wanted))
  return (
    <Stack gap="xs">
      <TextInput
        data-autofocus
        aria-label="Search templates"
        placeholder="Search"
        leftSection={<IconSearch size={16} />}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
      />
      {found.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          No results
        </Text>
      )}
      {found.map(({ id, name, body, choose }) => (
        <button key={id} type="button" className={css.template} onClick={choose}>
          <Text size="sm" fw={600}>
            {name}
          </Text>
          <Text size="sm" c="dimmed" lineClamp={3} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {body}
          </Text>
        </button>
      ))}
    </Stack>
  )
}

function ValuesForm({
  template,
  back,
  sendTemplate,
}: {
  template: WhatsappTemplate
  back: () => void
  sendTemplate: (template: TemplateMessage) => void
}) {
  const [values, setValues] = useState<Values>({})
  const fields = fieldsOf(template)
  const { header, body, footer } = previewOf(template, values)
  const isComplete = fields.every(({ name }) => (values[name] ?? '').trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isComplete) sendTemplate(templateMessage(template, values))
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {fields.map(({ name, label }, n) => (
          <TextInput
            key={name}
            {...(n === 0 && { 'data-autofocus': true })}
            label={label}
            required
            maxLength={1_024}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        ))}
        <Paper
          withBorder
          p="sm"
          component="section"
          aria-label="Preview"
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        >
          {header && <Text fw={650}>{header}</Text>}
          <Text size="sm">{body}</Text>
          {footer && (
            <Text size="xs" c="dimmed">
              {footer}
            </Text>
          )}
        </Paper>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={back}>
            Back
          </Button>
          <Button type="submit" disabled={!isComplete}>
            Send
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
