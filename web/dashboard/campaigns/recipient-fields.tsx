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

const shownProblems = 20
const maxRecipients = 10_000

interface RecipientList {
  text: string
  change: (text: string) => void
  recipients: readonly NewRecipient[]
  /** Undefined until the list has been checked. */
  problems: readonly string[] | undefined
  check: () => Promise<readonly string[]>
  /** Throws if a row is invalid. */
  valid: () => Promise<NewRecipient[]>
  /** After a change of what they were checked against. */
  unchecked: () => void
}

/** A list of recipients that is being entered, checked for the AI agent and the calling hours of the campaign. */
export function useRecipientList(agentId: string | null, hours: CampaignForm['hours']): RecipientList {
  const [text, setText] = useState('')
  const [problems, setProblems] = useState<readonly string[]>()
  const recipients = recipientsFrom(text)
  const check = async () => {
    const found = await problemsOf(agentId ?? '', hours, recipients)
    setProblems(found)
    return found
  }
  return {
    text,
    change: (value) => {
      setText(value)
      setProblems(undefined)
    },
    recipients,
    problems,
    check,
    valid: async () => {
      const found = await check()
      if (found.length > 0)
        throw new Error(`${count(found.length, 'recipient')} cannot be called. Correct the list above`)
      return recipients
    },
    unchecked: () => setProblems(undefined),
  }
}

async function problemsOf(agentId: string, hours: CampaignForm['hours'], recipients: NewRecipient[]) {
  if (recipients.length > maxRecipients) return [`A campaign has at most ${maxRecipients.toLocaleString()} recipients`]
  const tooLong = overlong(recipients)
  if (tooLong.length > 0) return tooLong
  // The server refuses a list with an empty number as a whole.
  const filled = recipients.map((one) => ({ ...one, phone_number: one.phone_number || '-' }))
  const body = { agent_id: agentId, calling_hours: hours, recipients: filled }
  const { problems } = await api.post('/v1/outbound-campaigns/checks', { body })
  return problems.map((problem) => problemText(problem, recipients))
}

/** The list as text, from a file or pasted, and what is wrong with its rows. */
export function RecipientFields({ list, isReady }: { list: RecipientList; isReady: boolean }) {
  const { text, change, recipients, problems, check } = list
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
          {problems?.length === 0 ? ', all valid' : ''}
          {!isReady && recipients.length > 0 ? '. Select an AI agent to check them' : ''}
        </Text>
      </Group>
      {problems && problems.length > 0 && (
        <Alert color="red" title={`${count(problems.length, 'recipient')} cannot be called`}>
          <List size="sm">
            {problems.slice(0, shownProblems).map((problem) => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
          </List>
          {problems.length > shownProblems && <Text size="sm">And {problems.length - shownProblems} more.</Text>}
        </Alert>
      )}
    </>
  )
}
