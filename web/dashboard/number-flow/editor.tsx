import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { ReactFlowProvider } from '@xyflow/react'
import { useCallback, useMemo, useReducer, useState } from 'react'
import { type Flow as PublishedFlow, type WidgetType, widgetAt } from '../../../src/domain/flow/document.ts'
import { ApiError, api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { dateTime } from '../../kit/ui/format.ts'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { FlowToolbar } from './bar.tsx'
import { Canvas, type Chosen, placesOf } from './canvas.tsx'
import { widgetTitle } from './catalogue.ts'
import {
  addWidget,
  copyWidget,
  type Flow,
  forgetPlaces,
  type Point,
  readFlow,
  removeWidgets,
  sameFlow,
  setBranch,
  slotsOf,
  targetOf,
} from './flow.ts'
import { Guard } from './guard.tsx'
import { begin, step } from './history.ts'
import { useFlowNames } from './names.ts'
import classes from './node.module.css'
import { Palette, WidgetPanel } from './panel.tsx'
import { FlowTestCall } from './test-call.tsx'
import type { CallPath } from './trace.ts'
import { countIssues, type FlowIssues, issueFromServer, validate } from './validate.ts'
import { type ShownVersion, Versions } from './versions.tsx'

/** The document leaves the contents of a flow open. */
export interface StoredFlow {
  live: PublishedFlow
  draft: unknown
}

interface Props {
  number: { id: number; name: string; digits: string }
  stored: StoredFlow
  /** The flow of a classic number is read-only. */
  isFixed: boolean
}

/** The flow editor: canvas, panel, versions and test calls. */
export default function FlowEditor(props: Props) {
  return (
    <ReactFlowProvider>
      <Editor {...props} />
    </ReactFlowProvider>
  )
}

function Editor({ number, stored, isFixed }: Props) {
  const session = useSession()
  const queries = useQueryClient()
  const names = useFlowNames()
  const live = useMemo(() => readFlow(stored.live) ?? { start: '', nodes: {} }, [stored.live])
  const draft = useMemo(() => readFlow(stored.draft), [stored.draft])
  // Editing continues from the saved draft; callers get the published version.
  const saved = draft ?? live
  const [history, dispatch] = useReducer(step, saved, begin)
  const [chosen, setChosen] = useState<Chosen>()
  const [refused, setRefused] = useState<{ flow: Flow; node: string; issue: string }>()
  const [viewed, setViewed] = useState<ShownVersion>()
  const [isListing, setListing] = useState(false)
  const [isTesting, setTesting] = useState(false)
  const [callPath, setCallPath] = useState<CallPath>()
  const [busy, setBusy] = useState<'publish' | 'draft'>()

  const readOnly = isFixed || !isAdmin(session) || viewed !== undefined
  const flow = viewed?.flow ?? history.present
  const isDirty = !sameFlow(history.present, saved)
  const isPublished = sameFlow(history.present, live)
  const issues = useMemo(() => allIssues(flow, refused, isFixed), [flow, refused, isFixed])
  const issueCount = countIssues(issues)

  const change = useCallback(
    (next: Flow, group?: string) => dispatch({ kind: 'change', flow: next, ...(group && { group }) }),
    [],
  )
  const undo = () => dispatch({ kind: 'undo' })
  const redo = () => dispatch({ kind: 'redo' })
  useHotkeys([
    ['mod+Z', () => !readOnly && undo()],
    ['mod+shift+Z', () => !readOnly && redo()],
    ['mod+Y', () => !readOnly && redo()],
    ['mod+S', () => !readOnly && !isPublished && void save('publish')],
    ['Escape', () => setChosen(undefined)],
  ])

  const add = (type: WidgetType, at?: Point, from?: { id: string; slot: string }) => {
    const parent = from ?? openBranch(flow, chosen)
    const made = addWidget(flow, type, at ?? placeBelow(flow, parent?.id))
    change(parent ? setBranch(made.flow, parent.id, parent.slot, made.id) : made.flow)
    setChosen({ kind: 'widget', id: made.id })
  }
  const remove = (what: Chosen) => {
    if (what?.kind === 'branch') change(setBranch(flow, what.from, what.slot, undefined))
    if (what?.kind === 'widget') change(removeWidgets(flow, [what.id]))
    setChosen(undefined)
  }
  const copy = (id: string) => {
    const made = copyWidget(flow, id)
    if (!made) return
    change(made.flow)
    setChosen({ kind: 'widget', id: made.id })
  }

  async function save(as: 'publish' | 'draft') {
    const { start, nodes } = history.present
    setBusy(as)
    try {
      const answer = (await api.put('/v1/numbers/{id}/flow', {
        params: { id: number.id },
        ...(as === 'draft' && { query: { draft: true } }),
        body: { start, nodes },
      })) as StoredFlow
      setRefused(undefined)
      queries.setQueryData(['number', number.id, 'flow'], answer)
      const kept = readFlow(as === 'draft' ? answer.draft : answer.live)
      // The server fills in defaults; that is not an undo step.
      if (kept && as === 'publish') dispatch({ kind: 'reset', flow: kept })
      notify(
        as === 'draft'
          ? 'Draft saved. Callers still get the published version.'
          : `Version ${answer.live.version} published.`,
      )
      void queries.invalidateQueries({ queryKey: ['numbers'] })
      void queries.invalidateQueries({ queryKey: ['number', number.id] })
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) {
        const { node, issue } = issueFromServer(history.present, error.message)
        setRefused({ flow: history.present, node, issue })
        if (node) setChosen({ kind: 'widget', id: node })
      }
      notifyError(error, as === 'draft' ? 'Draft not saved' : 'Flow not published')
    }
    setBusy(undefined)
  }

  /** Saving the live flow as draft removes the draft. */
  async function discard() {
    try {
      const { start, nodes } = live
      const answer = await api.put('/v1/numbers/{id}/flow', {
        params: { id: number.id },
        query: { draft: true },
        body: { start, nodes },
      })
      dispatch({ kind: 'reset', flow: live })
      setChosen(undefined)
      queries.setQueryData(['number', number.id, 'flow'], answer)
    } catch (error) {
      notifyError(error, 'Draft not discarded')
    }
  }

  const restore = (version: ShownVersion) => {
    change(version.flow)
    setViewed(undefined)
    setChosen(undefined)
    notify(`Version ${version.version} loaded. Publish it to make it live again.`)
  }

  const widget = chosen?.kind === 'widget' ? widgetAt(flow, chosen.id) : undefined
  const chosenId = chosen?.kind === 'widget' ? chosen.id : ''
  const titleAt = (node: string) => {
    const there = widgetAt(flow, node)
    return there ? widgetTitle(there) : node
  }
  return (
    <Stack gap="xs">
      <FlowToolbar
        version={stored.live.version}
        state={viewed || isPublished ? 'published' : isDirty ? 'changed' : 'draft'}
        issueCount={viewed ? 0 : issueCount}
        mayTest={session.mode === 'sandbox' && isAdmin(session)}
        test={() => {
          setTesting(true)
          setViewed(undefined)
        }}
        list={() => setListing(true)}
        drawing={
          readOnly
            ? undefined
            : {
                undo: history.past.length > 0 ? undo : undefined,
                redo: history.future.length > 0 ? redo : undefined,
                autoLayout: isPlaced(flow) ? () => change(forgetPlaces(flow)) : undefined,
                saveDraft: isDirty ? () => void save('draft') : undefined,
                publish: isPublished || countIssues(validate(flow)) > 0 ? undefined : () => void save('publish'),
                busy,
              }
        }
      />
      {viewed && (
        <Alert color="blue" variant="light" p="xs">
          <Group justify="space-between" gap="xs">
            <Text size="sm">
              Viewing version {viewed.version}, published {dateTime(viewed.at)}.
            </Text>
            <Group gap="xs">
              {!isFixed && isAdmin(session) && (
                <Button size="compact-sm" onClick={() => restore(viewed)}>
                  Restore this version
                </Button>
              )}
              <Button size="compact-sm" variant="default" onClick={() => setViewed(undefined)}>
                Back
              </Button>
            </Group>
          </Group>
        </Alert>
      )}
      {!viewed && draft && !sameFlow(draft, live) && sameFlow(history.present, draft) && !readOnly && (
        <Alert color="yellow" variant="light" p="xs">
          <Group justify="space-between" gap="xs">
            <Text size="sm">You are editing a saved draft. Callers get version {stored.live.version}.</Text>
            <Button size="compact-sm" variant="default" onClick={() => void discard()}>
              Discard draft
            </Button>
          </Group>
        </Alert>
      )}
      {(issues.get('') ?? []).map((issue) => (
        <Alert key={issue} color="red" variant="light" p="xs" role="alert">
          {issue}
        </Alert>
      ))}
      <Paper withBorder className={classes.frame}>
        <div className={classes.drawing}>
          <Canvas
            key={viewed?.version ?? 'drawing'}
            flow={flow}
            issues={viewed ? noIssues : issues}
            names={names}
            chosen={chosen}
            choose={setChosen}
            change={change}
            add={add}
            remove={remove}
            callPath={callPath}
            readOnly={readOnly}
          />
        </div>
        <Paper component="aside" aria-label="Widget settings" radius={0} className={classes.panel}>
          {isTesting ? (
            <FlowTestCall
              numberId={number.id}
              digits={number.digits}
              names={names}
              titleAt={titleAt}
              isChanged={!isPublished}
              show={setCallPath}
              close={() => setTesting(false)}
            />
          ) : widget ? (
            <WidgetPanel
              key={chosenId}
              flow={flow}
              id={chosenId}
              widget={widget}
              issues={issues.get(chosenId) ?? []}
              names={names}
              readOnly={readOnly}
              change={change}
              addBehind={(slot, type) => add(type, undefined, { id: chosenId, slot })}
              makeStart={() => change({ ...flow, start: chosenId })}
              copy={() => copy(chosenId)}
              remove={() => remove(chosen)}
              close={() => setChosen(undefined)}
            />
          ) : readOnly ? (
            <Text size="sm" c="dimmed" p="md">
              {isFixed
                ? 'Classic numbers have a fixed flow. Edit business hours, users and audio on the other tabs. Select a widget to view its settings.'
                : 'Select a widget to view its settings.'}
            </Text>
          ) : (
            <Palette add={add} />
          )}
        </Paper>
      </Paper>
      <Versions
        numberId={number.id}
        live={stored.live.version}
        opened={isListing}
        close={() => setListing(false)}
        view={(version) => {
          setViewed(version)
          setListing(false)
          setTesting(false)
          setChosen(undefined)
        }}
      />
      <Guard isDirty={isDirty && !readOnly} />
    </Stack>
  )
}

const noIssues: FlowIssues = new Map()
const isPlaced = (flow: Flow) => Object.values(flow.nodes).some(({ position }) => position)

/** Includes the server's validation error until the flow changes. */
function allIssues(
  flow: Flow,
  refused: { flow: Flow; node: string; issue: string } | undefined,
  isFixed: boolean,
): FlowIssues {
  if (isFixed) return noIssues
  const issues = validate(flow)
  if (refused?.flow !== flow) return issues
  return new Map(issues).set(refused.node, [...(issues.get(refused.node) ?? []), refused.issue])
}

/** A new widget connects to the first unconnected branch of the selected one. */
function openBranch(flow: Flow, chosen: Chosen): { id: string; slot: string } | undefined {
  if (chosen?.kind !== 'widget') return undefined
  const widget = widgetAt(flow, chosen.id)
  const open = widget && slotsOf(widget).find(({ name }) => targetOf(widget, name) === undefined)
  return open && { id: chosen.id, slot: open.name }
}

/** Only for flows with manual positions; otherwise the layout places the widget. */
function placeBelow(flow: Flow, parent: string | undefined): Point | undefined {
  if (!isPlaced(flow)) return undefined
  const places = placesOf(flow)
  const start = parent === undefined ? undefined : places[parent]
  const lowest = Math.max(0, ...Object.values(places).map(({ y }) => y))
  const spot = start ? { x: start.x, y: start.y + 190 } : { x: 0, y: lowest + 190 }
  const isTaken = ({ x, y }: Point) =>
    Object.values(places).some((place) => Math.abs(place.x - x) < 250 && Math.abs(place.y - y) < 130)
  while (isTaken(spot)) spot.x += 290
  return spot
}
