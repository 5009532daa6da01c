import {
  Alert,
  Button,
  Group,
  MultiSelect,
  NumberInput,
  Paper,
  Radio,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { CheckedForm } from '../../kit/ui/checked-form.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { useSavedForm } from '../../kit/ui/saved-form.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { countryChoices } from '../parts/countries.ts'
import { countsNothing, type OutboundRules, rateLinesOf, ratesOf } from './limits.ts'
import { Rates } from './rates.tsx'

export interface NumberField {
  field: string
  label: string
}

/** Texts that differ between calls and messages. */
export interface RulesText {
  /** `calls`, `messages`. */
  of: string
  title: string
  intro: string
  countries: { default: string; defaultHint: string; none: string }
  caps: { hint: string; max: number; fields: readonly NumberField[] }
  /** Unit of a rate: `minute`, `message part`. */
  rateUnit: string
  amounts: { hint: string; fields: readonly NumberField[] }
}

type Numbers = OutboundRules['numbers']
export type SetNumbers = (part: Numbers) => void

interface Props {
  /** The key of the cached query. */
  name: string
  text: RulesText
  read: () => Promise<OutboundRules>
  write: (rules: OutboundRules, loaded: OutboundRules) => Promise<unknown>
  more?: (numbers: Numbers, set: SetNumbers) => ReactNode
}

/** Countries, caps, rates and amounts of outbound calls or messages. */
export function OutboundRulesForm({ name, read, write, text, more }: Props) {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({ queryKey: [name], queryFn: read })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={480} />
  const save = async (rules: OutboundRules, loaded: OutboundRules) => {
    await write(rules, loaded)
    await queries.invalidateQueries({ queryKey: [name] })
  }
  return <Form saved={data} save={save} text={text} more={more} />
}

interface FormProps {
  saved: OutboundRules
  save: (rules: OutboundRules, loaded: OutboundRules) => Promise<void>
  text: RulesText
  more: Props['more']
}

/** The rates as lines, of which one may be incomplete while it is typed. */
const draftOf = ({ rates, ...rules }: OutboundRules) => ({ ...rules, lines: rateLinesOf(rates) })

function Form({ saved, save: write, text, more }: FormProps) {
  const rulesOf = ({ lines, ...rules }: ReturnType<typeof draftOf>): OutboundRules => {
    const priced = ratesOf(lines, text.rateUnit)
    if ('issue' in priced) throw new Error(priced.issue)
    return { ...rules, ...priced }
  }
  const {
    form: { countries, numbers, lines },
    set: setForm,
    isChanged,
    isBusy,
    error,
    save,
    discard,
  } = useSavedForm(draftOf(saved), async (draft, loaded) => {
    await write(rulesOf(draft), rulesOf(loaded))
    notify(`Outbound rules for ${text.of} saved`)
  })
  const set: SetNumbers = (part) => setForm({ numbers: { ...numbers, ...part } })
  const priced = ratesOf(lines, text.rateUnit)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy && !('issue' in priced)) void save()
  }
  const isWithoutRates = text.amounts.fields.some(({ field }) => countsNothing(numbers[field], lines))
  return (
    <Paper withBorder p="lg" maw={720} component="section" aria-label={`Outbound rules for ${text.of}`}>
      <CheckedForm onSubmit={submit}>
        <Stack gap="lg">
          <Title order={2} size="h4">
            {text.title}
          </Title>
          <Text size="sm" c="dimmed">
            {text.intro}
          </Text>
          <Countries text={text} value={countries} onChange={(value) => setForm({ countries: value })} />
          <Amounts title="Limits" isWhole {...text.caps} numbers={numbers} set={set} />
          <Rates unit={text.rateUnit} lines={lines} onChange={(next) => setForm({ lines: next })} />
          {'issue' in priced && <Warning>{priced.issue}</Warning>}
          <Amounts title="Spend limits" {...text.amounts} numbers={numbers} set={set} />
          {isWithoutRates && (
            <Warning>Without rates, every {text.rateUnit} costs zero and the spend limit has no effect.</Warning>
          )}
          {more?.(numbers, set)}
          <SaveError error={error} retry={() => void save()} title="Rules not saved" />
          <Group justify="flex-end">
            {isChanged && (
              <Button variant="default" onClick={discard}>
                Discard changes
              </Button>
            )}
            <Button type="submit" loading={isBusy} disabled={!isChanged || 'issue' in priced}>
              Save rules for {text.of}
            </Button>
          </Group>
        </Stack>
      </CheckedForm>
    </Paper>
  )
}

const Warning = ({ children }: { children: ReactNode }) => (
  <Alert color="orange" variant="light" role="status">
    {children}
  </Alert>
)

interface AmountsProps {
  title: string
  hint: string
  fields: readonly NumberField[]
  numbers: Numbers
  set: SetNumbers
  max?: number
  isWhole?: boolean
}

function Amounts({ title, hint, fields, numbers, set, max, isWhole = false }: AmountsProps) {
  return (
    <Stack gap={6} role="group" aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Text size="xs" c="dimmed">
        {hint} Leave blank for unlimited.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {fields.map(({ field, label }) => (
          <NumberInput
            key={field}
            label={label}
            min={0}
            {...(max !== undefined && { max })}
            allowDecimal={!isWhole}
            placeholder="Unlimited"
            value={numbers[field] ?? ''}
            onChange={(value) => set({ [field]: typeof value === 'number' ? value : null })}
          />
        ))}
      </SimpleGrid>
    </Stack>
  )
}

interface CountriesProps {
  text: RulesText
  value: string[] | null
  onChange: (countries: string[] | null) => void
}

function Countries({ text, value, onChange }: CountriesProps) {
  return (
    <Stack gap="xs">
      <Radio.Group
        label={`Allowed countries for ${text.of}`}
        value={value === null ? 'default' : 'some'}
        onChange={(choice) => onChange(choice === 'default' ? null : [])}
      >
        <Stack gap={6} mt={6}>
          <Radio value="default" label={text.countries.default} description={text.countries.defaultHint} />
          <Radio value="some" label="Selected countries" />
        </Stack>
      </Radio.Group>
      {value !== null && (
        <MultiSelect
          aria-label={`Countries for ${text.of}`}
          placeholder={value.length > 0 ? '' : text.countries.none}
          searchable
          hidePickedOptions
          data={countryChoices([...value, '001'])}
          value={value}
          onChange={onChange}
        />
      )}
    </Stack>
  )
}
