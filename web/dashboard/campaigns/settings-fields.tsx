import { Input, MultiSelect, Select, SimpleGrid, TextInput } from '@mantine/core'
import { Figure } from '../../kit/ui/figure.tsx'
import { HoursEditor } from '../../kit/ui/hours.tsx'
import { useNumbers } from '../../kit/ui/lists.ts'
import { type CampaignForm, delayText, retryChoices } from './campaign.ts'

interface Props {
  form: CampaignForm
  set: (part: Partial<CampaignForm>) => void
}

/** Settings that may change until the campaign has ended. */
export function CallFromField({ form, set, required = false }: Props & { required?: boolean }) {
  const { data: numbers = [] } = useNumbers()
  return (
    <MultiSelect
      label="Call from"
      description="One call at a time per number"
      placeholder={form.numberIds.length > 0 ? '' : required ? 'Select a number' : 'Number of the AI agent'}
      required={required && form.numberIds.length === 0}
      maxValues={5}
      data={numbers.map((number) => ({ value: String(number.id), label: number.name }))}
      value={form.numberIds}
      onChange={(numberIds) => set({ numberIds })}
    />
  )
}

export function ScheduleFields({ form, set }: Props) {
  const delays = form.retryDelays
  const delay = (part: Partial<CampaignForm['retryDelays']>) => set({ retryDelays: { ...delays, ...part } })
  return (
    <>
      <Input.Wrapper
        label="Calling hours"
        description="In the time zone of each recipient"
        labelElement="div"
        descriptionProps={{ mb: 'xs' }}
      >
        <HoursEditor
          value={{ hours: form.hours, closed_dates: [] }}
          onChange={({ hours }) => set({ hours })}
          hasClosedDates={false}
        />
      </Input.Wrapper>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <RetryDelay label="Retry if no answer" value={delays.no_answer} set={(no_answer) => delay({ no_answer })} />
        <RetryDelay label="Retry if busy" value={delays.busy} set={(busy) => delay({ busy })} />
        <RetryDelay label="Retry after voicemail" value={delays.voicemail} set={(voicemail) => delay({ voicemail })} />
        <Figure
          label="Max attempts"
          min={1}
          max={10}
          value={form.maxAttempts}
          onChange={(maxAttempts) => set({ maxAttempts })}
        />
        <Figure
          label="Concurrent calls"
          min={1}
          max={5}
          value={form.concurrency}
          onChange={(concurrency) => set({ concurrency })}
        />
      </SimpleGrid>
      <TextInput
        type="datetime-local"
        label="Expires"
        description="No calls are placed after this time. Leave blank for no expiry."
        value={form.expires}
        onChange={({ currentTarget }) => set({ expires: currentTarget.value })}
      />
    </>
  )
}

const never = 'never'

function RetryDelay({
  label,
  value,
  set,
}: {
  label: string
  value: number | null
  set: (seconds: number | null) => void
}) {
  const choices = [...new Set([...retryChoices, ...(value === null ? [] : [value])])].sort((a, b) => a - b)
  return (
    <Select
      label={label}
      allowDeselect={false}
      data={[
        { value: never, label: 'No retry' },
        ...choices.map((seconds) => ({ value: String(seconds), label: `After ${delayText(seconds)}` })),
      ]}
      value={value === null ? never : String(value)}
      onChange={(given) => set(given === null || given === never ? null : Number(given))}
    />
  )
}
