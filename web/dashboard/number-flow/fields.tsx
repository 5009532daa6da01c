import { Anchor, Input, SegmentedControl, Select, Switch, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { Mode, Strategy } from '../../../src/domain/flow/document.ts'
import { useNumbers } from '../../kit/ui/lists.ts'
import { PhoneInput } from '../../kit/ui/phone-input.tsx'
import { useAgents } from '../agents/use-agents.ts'
import { type FlowNames, strategies } from './catalogue.ts'
import { MediaField, Seconds, Whole } from './field-parts.tsx'
import type { Widget, WidgetOf } from './flow.ts'
import { ClosedDates, HoursFields } from './hours.tsx'
import { IvrFields } from './ivr-fields.tsx'
import { TargetFields } from './targets.tsx'

interface Editing<W extends Widget> {
  widget: W
  names: FlowNames
  readOnly: boolean
  change: (widget: W) => void
}

/** The settings of a widget by type. */
export function WidgetFields({ widget, change, ...rest }: Editing<Widget>): ReactNode {
  switch (widget.type) {
    case 'time_rule':
      return <TimeRuleFields widget={widget} change={change} {...rest} />
    case 'audio':
      return (
        <MediaField
          label="Audio"
          media={widget.media}
          set={(media) => change({ ...widget, media })}
          readOnly={rest.readOnly}
        />
      )
    case 'ivr':
      return <IvrFields widget={widget} change={change} {...rest} />
    case 'waiting':
      return <WaitingFields widget={widget} change={change} {...rest} />
    case 'ring_to':
      return <RingToFields widget={widget} change={change} {...rest} />
    case 'voicemail':
      return (
        <>
          <MediaField
            label="Greeting"
            media={widget.media}
            set={(media) => change({ ...widget, media })}
            readOnly={rest.readOnly}
          />
          <Seconds
            label="Max message length"
            value={widget.max_seconds}
            range={[5, 600]}
            set={(max_seconds) => change({ ...widget, max_seconds })}
            readOnly={rest.readOnly}
          />
          <Seconds
            label="Silence timeout"
            value={widget.silence_seconds}
            range={[2, 30]}
            set={(silence_seconds) => change({ ...widget, silence_seconds })}
            readOnly={rest.readOnly}
          />
        </>
      )
    case 'forward':
      return <ForwardFields widget={widget} change={change} {...rest} />
    case 'go_to_number':
      return (
        <NumberField
          id={widget.number_id}
          set={(number_id) => change({ ...widget, number_id })}
          readOnly={rest.readOnly}
        />
      )
    case 'callback':
      return <CallbackFields widget={widget} change={change} {...rest} />
    case 'ai_agent':
      return (
        <AgentField id={widget.agent_id} set={(agent_id) => change({ ...widget, agent_id })} readOnly={rest.readOnly} />
      )
    case 'hang_up':
      return (
        <MediaField
          label="Audio before hanging up"
          media={widget.media}
          builtIn="None"
          set={(media) => change({ ...widget, media })}
          readOnly={rest.readOnly}
        />
      )
  }
}

function TimeRuleFields({ widget, change, readOnly }: Editing<WidgetOf<'time_rule'>>) {
  return (
    <>
      <Input.Wrapper label="Business hours">
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label="Business hours"
          readOnly={readOnly}
          value={widget.mode}
          onChange={(mode) => change({ ...widget, mode: mode as Mode })}
          data={[
            { value: 'custom', label: 'Schedule' },
            { value: 'open', label: 'Always open' },
            { value: 'closed', label: 'Always closed' },
          ]}
        />
      </Input.Wrapper>
      {widget.mode === 'custom' && (
        <>
          <HoursFields value={widget.hours} onChange={(hours) => change({ ...widget, hours })} readOnly={readOnly} />
          <ClosedDates
            value={widget.closed_dates}
            onChange={(closed_dates) => change({ ...widget, closed_dates })}
            readOnly={readOnly}
          />
        </>
      )}
    </>
  )
}

function WaitingFields({ widget, change, readOnly }: Editing<WidgetOf<'waiting'>>) {
  return (
    <>
      <MediaField
        label="Hold music"
        media={widget.media}
        set={(media) => change({ ...widget, media })}
        readOnly={readOnly}
      />
      <Seconds
        label="Wait time"
        description="0: only sets the hold music for the Ring to widgets that follow"
        value={widget.seconds}
        range={[0, 3_600]}
        set={(seconds) => change({ ...widget, seconds })}
        readOnly={readOnly}
      />
      <Switch
        label="Announce queue position"
        checked={widget.announce_position}
        disabled={readOnly}
        onChange={({ currentTarget }) => change({ ...widget, announce_position: currentTarget.checked })}
      />
      {widget.announce_position && (
        <Seconds
          label="Announcement interval"
          value={widget.announce_every_seconds}
          range={[15, 600]}
          set={(announce_every_seconds) => change({ ...widget, announce_every_seconds })}
          readOnly={readOnly}
        />
      )}
      <Switch
        label="Offer a callback"
        description="Connects to a Callback widget"
        checked={widget.callback}
        disabled={readOnly}
        onChange={({ currentTarget }) => change({ ...widget, callback: currentTarget.checked })}
      />
    </>
  )
}

function RingToFields({ widget, change, names, readOnly }: Editing<WidgetOf<'ring_to'>>) {
  const setRing = (ring_seconds: number | undefined) => {
    const { ring_seconds: _, ...rest } = widget
    change(ring_seconds === undefined ? rest : { ...rest, ring_seconds })
  }
  return (
    <>
      <Input.Wrapper label="Ring">
        <TargetFields
          value={widget.targets}
          onChange={(targets) => change({ ...widget, targets })}
          names={names}
          ordered={widget.strategy === 'one_by_one'}
          readOnly={readOnly}
        />
      </Input.Wrapper>
      <Select
        label="Ring strategy"
        data={Object.entries(strategies).map(([value, label]) => ({
          value,
          label,
        }))}
        value={widget.strategy}
        readOnly={readOnly}
        allowDeselect={false}
        onChange={(strategy) => strategy && change({ ...widget, strategy: strategy as Strategy })}
      />
      <Switch
        label="Use the ring timeout of the number"
        checked={widget.ring_seconds === undefined}
        disabled={readOnly}
        onChange={({ currentTarget }) => setRing(currentTarget.checked ? undefined : 30)}
      />
      {widget.ring_seconds !== undefined && (
        <Seconds label="Ring timeout" value={widget.ring_seconds} range={[5, 120]} set={setRing} readOnly={readOnly} />
      )}
      <Seconds
        label="Max wait time"
        description="0: one round, no queue"
        value={widget.max_wait_seconds}
        range={[0, 7_200]}
        set={(max_wait_seconds) => change({ ...widget, max_wait_seconds })}
        readOnly={readOnly}
      />
    </>
  )
}

function ForwardFields({ widget, change, readOnly }: Editing<WidgetOf<'forward'>>) {
  return (
    <>
      <PhoneInput
        label="External number"
        value={widget.number}
        readOnly={readOnly}
        onChange={(number) => change({ ...widget, number })}
      />
      <Seconds
        label="Ring timeout"
        value={widget.ring_seconds}
        range={[5, 120]}
        set={(ring_seconds) => change({ ...widget, ring_seconds })}
        readOnly={readOnly}
      />
      <Select
        label="Caller ID"
        data={[
          { value: 'number', label: 'This number' },
          { value: 'caller', label: 'Caller’s number' },
        ]}
        value={widget.caller_id}
        readOnly={readOnly}
        allowDeselect={false}
        onChange={(caller) => caller && change({ ...widget, caller_id: caller as WidgetOf<'forward'>['caller_id'] })}
      />
    </>
  )
}

function NumberField({ id, set, readOnly }: { id: number; set: (id: number) => void; readOnly: boolean }) {
  const { data: numbers = [] } = useNumbers()
  return (
    <Select
      label="Number"
      searchable
      placeholder="Select a number"
      data={numbers.map(({ id, name, digits }) => ({ value: String(id), label: `${name} · ${digits}` }))}
      value={id ? String(id) : null}
      readOnly={readOnly}
      allowDeselect={false}
      onChange={(chosen) => chosen && set(Number(chosen))}
    />
  )
}

function CallbackFields({ widget, change, names, readOnly }: Editing<WidgetOf<'callback'>>) {
  const setTargets = (targets: WidgetOf<'callback'>['targets']) => {
    const { targets: _, ...rest } = widget
    change(targets ? { ...rest, targets } : rest)
  }
  return (
    <>
      <MediaField
        label="Confirmation"
        media={widget.media}
        set={(media) => change({ ...widget, media })}
        readOnly={readOnly}
      />
      <Switch
        label="Same agents the caller waited for"
        checked={!widget.targets}
        disabled={readOnly}
        onChange={({ currentTarget }) => setTargets(currentTarget.checked ? undefined : [])}
      />
      {widget.targets && (
        <TargetFields value={widget.targets} onChange={setTargets} names={names} ordered={false} readOnly={readOnly} />
      )}
      <Whole
        label="Attempts"
        value={widget.attempts}
        range={[1, 5]}
        set={(attempts) => change({ ...widget, attempts })}
        readOnly={readOnly}
      />
      <Seconds
        label="Retry interval"
        value={widget.retry_seconds}
        range={[60, 3_600]}
        set={(retry_seconds) => change({ ...widget, retry_seconds })}
        readOnly={readOnly}
      />
      <Seconds
        label="Expires after"
        value={widget.expires_seconds}
        range={[600, 604_800]}
        set={(expires_seconds) => change({ ...widget, expires_seconds })}
        readOnly={readOnly}
      />
    </>
  )
}

function AgentField({ id, set, readOnly }: { id: string; set: (id: string) => void; readOnly: boolean }) {
  const { data: agents = [], isPending } = useAgents()
  const known = agents.map((agent) => ({
    value: agent.id,
    label: agent.active ? agent.name : `${agent.name} (inactive)`,
  }))
  // A deleted AI agent stays visible until another one is selected.
  const isGone = id !== '' && !isPending && !agents.some((agent) => agent.id === id)
  return (
    <>
      <Select
        label="AI agent"
        placeholder="Select an AI agent"
        searchable
        allowDeselect={false}
        nothingFoundMessage="No results"
        readOnly={readOnly}
        data={isGone ? [...known, { value: id, label: 'Deleted AI agent' }] : known}
        value={id || null}
        onChange={(chosen) => set(chosen ?? '')}
      />
      <Text size="xs" c="dimmed">
        The AI agent answers the call. “Escalated” applies when it escalates the call, “Unavailable” when it is inactive
        or has no speech engine.{' '}
        <Anchor
          component={Link}
          to={id && !isGone ? `/dashboard/agents/${id}` : '/dashboard/agents'}
          size="xs"
          underline="always"
        >
          {id && !isGone ? 'Edit AI agent' : 'All AI agents'}
        </Anchor>
      </Text>
    </>
  )
}
