import { Alert, Button, Group, List, Text, Textarea } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { numberExample } from '../../kit/phone-number.ts'
import { count } from '../../kit/ui/format.ts'
import { notifyError } from '../../kit/ui/toast.tsx'
import { UploadButton } from '../../kit/ui/upload-button.tsx'
import { textOf } from '../../kit/upload.ts'
import { type CampaignForm, type NewRecipient, overlong, problemText, recipientsFrom } from './campaign.ts'

/** What a check has found, a text per row. */
interface CheckedList {
  invalid: readonly string[]
  /** They can be added, but are not called. */
  optedOut: readonly string[]
}

const shownRows = 20
const maxRecipients = 10_000

interface RecipientList {
  text: string
  change: (text: string) => void
  recipients: readonly NewRecipient[]
  /** Undefined until the list has been checked. */
  checked: CheckedList | undefined
  check: () => Promise<CheckedList>
  /** Throws if a row is invalid. */
  valid: () => Promise<NewRecipient[]>
  /** After a change of what they were checked against. */
  unchecked: () => void
}

/** A list of recipients that is being entered, checked for the AI agent and the calling hours of the campaign. */
export function useRecipientList(agentId: string | null, hours: CampaignForm['hours']): RecipientList {
  const [text, setText] = useState('')
  const [checked, setChecked] = useState<CheckedList>()
  const recipients = recipientsFrom(text)
  const check = async () => {
    const found = await checkedList(agentId ?? '', hours, recipients)
    setChecked(found)
    return found
  }
  return {
    text,
    change: (value) => {
      setText(value)
      setChecked(undefined)
    },
    recipients,
    checked,
    check,
    valid: async () => {
      const { invalid } = await check()
      if (invalid.length > 0)
        throw new Error(`${count(invalid.length, 'recipient')} cannot be called. Correct the list above`)
      return recipients
    },
    unchecked: () => setChecked(undefined),
  }
}

async function checkedList(
  agentId: string,
  hours: CampaignForm['hours'],
  recipients: NewRecipient[],
): Promise<CheckedList> {
  const tooMany = recipients.length > maxRecipients
  const invalid = tooMany
    ? [`A campaign has at most ${maxRecipients.toLocaleString()} recipients`]
    : overlong(recipients)
  if (invalid.length > 0) return { invalid, optedOut: [] }
  // The server refuses a list with an empty number as a whole.
  const filled = recipients.map((one) => ({ ...one, phone_number: one.phone_number || '-' }))
  const body = { agent_id: agentId, calling_hours: hours, recipients: filled }
  const { problems } = await api.post('/v1/outbound-campaigns/checks', { body })
  const texts = (isWanted: (issue: (typeof problems)[number]['issue']) => boolean) =>
    problems.filter(({ issue }) => isWanted(issue)).map((problem) => problemText(problem, recipients))
  return {
    invalid: texts((issue) => issue !== 'opted_out'),
    optedOut: texts((issue) => issue === 'opted_out'),
  }
}

/** The list as text, from a file or pasted, and what is wrong with its rows. */
export function RecipientFields({ list, isReady }: { list: RecipientList; isReady: boolean }) {
  const { text, change, recipients, checked, check } = list
  return (
    <>
      <Textarea
        label="Recipients"
        description="One per line: phone number, name, time zone. A CSV file with a heading may have more columns as variables."
        placeholder={`${numberExample()}, Jo`}
        required
        autosize
        minRows={4}
        maxRows={12}
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
      <Group>
        <UploadButton
          accept=".csv,text/csv,text/plain"
          onChoose={(file) => void textOf(file).then(change, notifyError)}
          size="xs"
          leftSection={<IconUpload size={14} />}
        >
          Upload CSV
        </UploadButton>
        <Button
          variant="default"
          size="xs"
          disabled={!isReady || recipients.length === 0}
          onClick={() => void check().catch(notifyError)}
        >
          Check recipients
        </Button>
        <Text size="sm" c="dimmed" aria-live="polite">
          {count(recipients.length, 'recipient')}
          {checked?.invalid.length === 0 ? ', all valid' : ''}
          {checked && checked.optedOut.length > 0 ? `, ${checked.optedOut.length} opted out` : ''}
          {!isReady && recipients.length > 0 ? '. Select an AI agent to check them' : ''}
        </Text>
      </Group>
      {checked && checked.invalid.length > 0 && (
        <Alert color="red" title={`${count(checked.invalid.length, 'recipient')} cannot be called`}>
          <Rows texts={checked.invalid} />
        </Alert>
      )}
      {checked && checked.optedOut.length > 0 && (
        <Alert color="orange" title={`${count(checked.optedOut.length, 'recipient')} opted out`}>
          <Text size="sm">They can be in the campaign, but are not called.</Text>
          <Rows texts={checked.optedOut} />
        </Alert>
      )}
    </>
  )
}

function Rows({ texts }: { texts: readonly string[] }) {
  return (
    <>
      <List size="sm">
        {texts.slice(0, shownRows).map((row) => (
          <List.Item key={row}>{row}</List.Item>
        ))}
      </List>
      {texts.length > shownRows && <Text size="sm">And {texts.length - shownRows} more.</Text>}
    </>
  )
}
