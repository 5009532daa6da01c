import { Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { say } from '../../kit/ui/toast.tsx'
import { flawsOf } from './flaws.ts'
import type { Guide, NewGuide } from './guide.ts'
import { type Editing, PlaybookFields, TemplateFields, TopicFields } from './guide-fields.tsx'
import { ScorecardFields } from './scorecard-fields.tsx'
import { guidesKey } from './use-guides.ts'

/** A new one, or one that is there. */
export function GuideDrawer({
  wanted,
  what,
  readOnly,
  close,
}: {
  wanted: NewGuide | Guide
  /** "playbook" */
  what: string
  readOnly: boolean
  close: () => void
}) {
  const queries = useQueryClient()
  const [guide, setGuide] = useState<NewGuide>(wanted)
  const [isTried, setTried] = useState(false)
  const found = flawsOf(guide)
  const flaws = isTried ? found : new Map<string, string>()
  const id = 'id' in wanted ? wanted.id : undefined
  const submit = async () => {
    setTried(true)
    if (found.size > 0) throw new Error('Something is still missing; look at what is marked.')
    const body = bodyOf(guide)
    await (id === undefined
      ? api.post('/v1/intelligence/guides', body)
      : api.put(`/v1/intelligence/guides/${id}`, body))
    await queries.invalidateQueries({ queryKey: guidesKey })
    say(id === undefined ? `${guide.name} is added` : 'Saved; calls that come are measured by it')
  }
  return (
    <FormDrawer
      title={id === undefined ? `New ${what}` : wanted.name}
      opened
      close={close}
      action={id === undefined ? `Add the ${what}` : 'Save'}
      submit={submit}
      readOnly={readOnly}
      size={guide.kind === 'topic' ? 'md' : 'lg'}
    >
      <TextInput
        label="Name"
        withAsterisk
        maxLength={255}
        data-autofocus
        error={flaws.get('name')}
        value={guide.name}
        onChange={({ currentTarget: { value: name } }) => setGuide({ ...guide, name })}
      />
      <Switch
        label="In use"
        checked={guide.active}
        onChange={({ currentTarget: { checked } }) => setGuide({ ...guide, active: checked })}
      />
      <Fields guide={guide} change={setGuide} flaws={flaws} />
    </FormDrawer>
  )
}

function Fields({ guide, change, flaws }: Editing<NewGuide>) {
  switch (guide.kind) {
    case 'topic':
      return <TopicFields guide={guide} change={change} flaws={flaws} />
    case 'playbook':
      return <PlaybookFields guide={guide} change={change} flaws={flaws} />
    case 'summary_template':
      return <TemplateFields guide={guide} change={change} flaws={flaws} />
    case 'scorecard':
      return <ScorecardFields guide={guide} change={change} flaws={flaws} />
  }
}

/** Without what the server adds, and without a description that nobody wrote. */
export function bodyOf(guide: NewGuide | Guide): NewGuide {
  const { id: _id, created_at: _made, updated_at: _changed, ...body } = guide as Guide
  if (body.kind !== 'scorecard' || body.scorecard.description?.trim()) return body as NewGuide
  return { ...body, scorecard: { categories: body.scorecard.categories } }
}
