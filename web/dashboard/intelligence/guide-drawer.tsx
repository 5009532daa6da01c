import { Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import type { Guide, NewGuide } from './guide.ts'
import { type GuideEditing, PlaybookFields, TemplateFields, TopicFields } from './guide-fields.tsx'
import { ScorecardFields } from './scorecard-fields.tsx'
import { guidesKey } from './use-guides.ts'
import { guideIssues } from './validate.ts'

/** Creates or edits a guide. */
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
  const found = guideIssues(guide)
  const issues = isTried ? found : new Map<string, string>()
  const id = 'id' in wanted ? wanted.id : undefined
  const submit = async () => {
    setTried(true)
    if (found.size > 0) throw new Error('Fix the highlighted fields and save again.')
    const body = guideRequest(guide)
    await (id === undefined
      ? api.post('/v1/intelligence/guides', { body })
      : api.put('/v1/intelligence/guides/{id}', { params: { id }, body, loaded: guideRequest(wanted) }))
    await queries.invalidateQueries({ queryKey: guidesKey })
    notify(id === undefined ? `${body.name} created` : `${body.name} saved. It applies to new calls`)
  }
  return (
    <FormDrawer
      title={id === undefined ? `New ${what}` : wanted.name}
      opened
      close={close}
      action={id === undefined ? `Create ${what}` : 'Save'}
      submit={submit}
      readOnly={readOnly}
      size={guide.kind === 'topic' ? 'md' : 'lg'}
    >
      <TextInput
        label="Name"
        withAsterisk
        maxLength={255}
        data-autofocus
        error={issues.get('name')}
        value={guide.name}
        onChange={({ currentTarget: { value: name } }) => setGuide({ ...guide, name })}
      />
      <Switch
        label="Active"
        checked={guide.active}
        onChange={({ currentTarget: { checked } }) => setGuide({ ...guide, active: checked })}
      />
      <Fields guide={guide} change={setGuide} issues={issues} />
    </FormDrawer>
  )
}

function Fields({ guide, change, issues }: GuideEditing<NewGuide>) {
  switch (guide.kind) {
    case 'topic':
      return <TopicFields guide={guide} change={change} issues={issues} />
    case 'playbook':
      return <PlaybookFields guide={guide} change={change} issues={issues} />
    case 'summary_template':
      return <TemplateFields guide={guide} change={change} issues={issues} />
    case 'scorecard':
      return <ScorecardFields guide={guide} change={change} issues={issues} />
  }
}

/** The request body, without read-only fields and an empty description. */
export function guideRequest(guide: NewGuide | Guide): NewGuide {
  const { id: _id, created_at: _made, updated_at: _changed, ...given } = guide as Guide
  const body = { ...given, name: given.name.trim() } as NewGuide
  if (body.kind !== 'scorecard' || body.scorecard.description?.trim()) return body
  return { ...body, scorecard: { categories: body.scorecard.categories } }
}
