import { Badge } from '@mantine/core'
import { type ReportRun, runStates } from './report.ts'

/** The result of a run as a label. */
export function RunState({ run }: { run: ReportRun }) {
  const { label, color } = runStates[run.state]
  return (
    <Badge variant="light" color={color} tt="none" fw={550}>
      {label}
    </Badge>
  )
}
