import { Paper, Stack } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { ReactFlowProvider } from '@xyflow/react'
import { useCallback, useMemo, useReducer, useState } from 'react'
import { useSearchParams } from 'react-router'
import { widgetAt } from '../../../src/domain/flow/document.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { useUnsaved } from '../../kit/unsaved.ts'
import { FlowToolbar } from './bar.tsx'
import { Canvas, type Chosen } from './canvas.tsx'
import { type FlowNames, widgetTitle } from './catalogue.ts'
import { DraftTest } from './draft-test.tsx'
import { EditorPanel } from './editor-panel.tsx'
import { type Flow, forgetPlaces, isPlaced, readFlow, sameFlow } from './flow.ts'
import { type FlowEdits, flowEdits } from './flow-edits.ts'
import { begin, step } from './history.ts'
import { useFlowNames } from './names.ts'
import classes from './node.module.css'
import { DraftNotice, IssueNotices, ViewedVersionNotice } from './notices.tsx'
import { type RejectedFlow, type StoredFlow, useStoredFlow } from './stored-flow.ts'
import { FlowTestCall } from './test-call.tsx'
import type { CallPath } from './trace.ts'
import { countIssues, type FlowIssues, validate } from './validate.ts'
import { type ShownVersion, Versions } from './versions.tsx'

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
  const names = useFlowNames()
  const live = useMemo(() => readFlow(stored.live) ?? { start: '', nodes: {} }, [stored.live])
  const draft = useMemo(() => readFlow(stored.draft), [stored.draft])
  // Editing continues from the saved draft; callers get the published version.
  const saved = draft ?? live
  const { present, change, undo, redo, reset } = useFlowHistory(saved)
  const [chosen, setChosen] = useState<Chosen>()
  const [viewed, setViewed] = useState<ShownVersion>()
  const [isListing, setListing] = useState(false)
  const [search] = useSearchParams()
  const [isTesting, setTesting] = useState(search.has('test'))
  const { save, discard, busy, rejected, isDirty, failed } = useStoredFlow({
    numberId: number.id,
    stored,
    present,
    live,
    reset,
    onRejected: (id) => setChosen({ kind: 'widget', id }),
  })

  const mayEdit = !isFixed && isAdmin(session)
  const readOnly = !mayEdit || viewed !== undefined
  const flow = viewed?.flow ?? present
  useUnsaved(isDirty && !readOnly)
  const isPublished = sameFlow(present, live)
  const isSavedDraft = draft !== undefined && !sameFlow(draft, live) && sameFlow(present, draft)
  const issues = useMemo(() => allIssues(flow, rejected, isFixed), [flow, rejected, isFixed])

  const publish = () => void save('publish')
  useHotkeys([
    ['mod+Z', () => !readOnly && undo?.()],
    ['mod+shift+Z', () => !readOnly && redo?.()],
    ['mod+Y', () => !readOnly && redo?.()],
    ['mod+S', () => !readOnly && !isPublished && publish()],
    ['Escape', () => setChosen(undefined)],
  ])
  const edits = flowEdits({ flow, chosen, choose: setChosen, change })

  const restore = (version: ShownVersion) => {
    change(version.flow)
    setViewed(undefined)
    setChosen(undefined)
    notify(`Version ${version.version} loaded. Publish it to make it live again.`)
  }
  const view = (version: ShownVersion) => {
    setViewed(version)
    setListing(false)
    setTesting(false)
    setChosen(undefined)
  }
  const drawing = {
    undo,
    redo,
    autoLayout: isPlaced(flow) ? () => change(forgetPlaces(flow)) : undefined,
    saveDraft: isDirty ? () => void save('draft') : undefined,
    publish: isPublished || countIssues(validate(flow)) > 0 ? undefined : publish,
    busy,
  }
  const shared = { flow, names, chosen, choose: setChosen, change, readOnly }
  return (
    <Stack gap="xs">
      <FlowToolbar
        version={stored.live.version}
        state={viewed || isPublished ? 'published' : isDirty ? 'changed' : 'draft'}
        issueCount={viewed ? 0 : countIssues(issues)}
        mayTest
        test={() => {
          setTesting(true)
          setViewed(undefined)
        }}
        list={() => setListing(true)}
        drawing={readOnly ? undefined : drawing}
      />
      {failed && <SaveError error={failed.error} retry={() => void save(failed.as)} title="Flow not saved" />}
      {viewed && (
        <ViewedVersionNotice
          version={viewed}
          restore={mayEdit ? () => restore(viewed) : undefined}
          back={() => setViewed(undefined)}
        />
      )}
      {isSavedDraft && !readOnly && (
        <DraftNotice
          liveVersion={stored.live.version}
          discard={() => void discard().then((isDone) => isDone && setChosen(undefined))}
        />
      )}
      <IssueNotices issues={issues.get('') ?? []} />
      <Workspace
        {...shared}
        edits={edits}
        issues={issues}
        viewed={viewed}
        isFixed={isFixed}
        test={
          isTesting
            ? {
                number,
                // A call on the simulated network uses the published flow.
                isSimulated: session.mode === 'sandbox' && isAdmin(session) && isPublished,
                close: () => setTesting(false),
              }
            : undefined
        }
      />
      <Versions
        numberId={number.id}
        live={stored.live.version}
        opened={isListing}
        close={() => setListing(false)}
        view={view}
      />
    </Stack>
  )
}

interface WorkspaceProps {
  flow: Flow
  names: FlowNames
  chosen: Chosen
  choose: (chosen: Chosen) => void
  change: (flow: Flow, group?: string) => void
  readOnly: boolean
  edits: FlowEdits
  issues: FlowIssues
  viewed: ShownVersion | undefined
  isFixed: boolean
  /** The test call that replaces the panel. */
  test: { number: Props['number']; isSimulated: boolean; close: () => void } | undefined
}

/** The canvas and the panel next to it. */
function Workspace({ edits, issues, viewed, isFixed, test, ...drawing }: WorkspaceProps) {
  const { flow, names } = drawing
  const [callPath, setCallPath] = useState<CallPath>()
  const titleAt = (node: string) => titleInTest(flow, node, names)
  return (
    <Paper withBorder className={classes.frame}>
      <div className={classes.drawing}>
        <Canvas
          key={viewed?.version ?? 'drawing'}
          {...drawing}
          {...edits}
          issues={viewed ? noIssues : issues}
          callPath={callPath}
        />
      </div>
      <Paper component="aside" aria-label="Widget settings" radius={0} className={classes.panel}>
        {test && !test.isSimulated && (
          <DraftTest
            number={test.number}
            flow={flow}
            names={names}
            titleAt={titleAt}
            show={setCallPath}
            close={test.close}
          />
        )}
        {test?.isSimulated && (
          <FlowTestCall
            numberId={test.number.id}
            digits={test.number.digits}
            names={names}
            titleAt={titleAt}
            show={setCallPath}
            close={test.close}
          />
        )}
        {!test && <EditorPanel {...drawing} issues={issues} edits={edits} isFixed={isFixed} />}
      </Paper>
    </Paper>
  )
}

/** The flow on the canvas; undo and redo are undefined when there is nothing to undo or redo. */
function useFlowHistory(saved: Flow) {
  const [{ past, present, future }, dispatch] = useReducer(step, saved, begin)
  const change = useCallback(
    (flow: Flow, group?: string) => dispatch({ kind: 'change', flow, ...(group && { group }) }),
    [],
  )
  return {
    present,
    change,
    undo: past.length > 0 ? () => dispatch({ kind: 'undo' }) : undefined,
    redo: future.length > 0 ? () => dispatch({ kind: 'redo' }) : undefined,
    reset: (flow: Flow) => dispatch({ kind: 'reset', flow }),
  }
}

const noIssues: FlowIssues = new Map()

/** An Audio widget without a name is known by what it plays. */
function titleInTest(flow: Flow, node: string, names: FlowNames): string {
  const widget = widgetAt(flow, node)
  if (!widget) return node
  const isNamelessAudio = widget.type === 'audio' && !widget.name && widget.media !== null
  return isNamelessAudio ? `${widgetTitle(widget)} ${names.sound(widget.media ?? '')}` : widgetTitle(widget)
}

/** Includes the server's validation error until the flow changes. */
function allIssues(flow: Flow, rejected: RejectedFlow | undefined, isFixed: boolean): FlowIssues {
  if (isFixed) return noIssues
  const issues = validate(flow)
  if (rejected?.flow !== flow) return issues
  return new Map(issues).set(rejected.node, [...(issues.get(rejected.node) ?? []), rejected.issue])
}
