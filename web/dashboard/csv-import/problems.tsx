import { Alert, Button, Group, List } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { writeCsv } from '../../../src/domain/csv.ts'
import { saveFile } from '../parts/save-file.ts'
import type { ImportTable } from './table.ts'

interface Problem {
  row: number
  errors: { message: string }[]
  duplicate_of: number | null
  same_as: number | null
}

const shownProblems = 50

/** Rows with errors and duplicates, numbered as in a spreadsheet. They can be downloaded, corrected and imported again. */
export function Problems<Field extends string>({
  table,
  problems,
  same,
  known,
}: {
  table: ImportTable<Field>
  problems: readonly Problem[]
  /** What two rows have in common: "same number as". */
  same: string
  /** "a contact has this number already" */
  known: (id: number) => string
}) {
  if (problems.length === 0) return null
  const numberOf = (row: number) => table.firstRow + row
  const reasonOf = ({ errors, duplicate_of, same_as }: Problem) => {
    if (errors.length > 0) return errors.map(({ message }) => message).join('; ')
    return same_as !== null ? `${same} row ${numberOf(same_as)}, is skipped` : known(duplicate_of ?? 0)
  }
  const download = () => {
    const cells = (row: number) => table.header.map((_, i) => table.rows[row]?.[i] ?? '')
    const rows = problems.map((problem) => [...cells(problem.row), numberOf(problem.row), reasonOf(problem)])
    saveFile('rows-to-look-at.csv', writeCsv([[...table.header, 'Row', 'Problem'], ...rows]))
  }
  return (
    <Alert variant="light" color="yellow" title="Rows to look at">
      <List size="sm">
        {problems.slice(0, shownProblems).map((problem) => (
          <List.Item key={problem.row}>
            Row {numberOf(problem.row)}: {reasonOf(problem)}
          </List.Item>
        ))}
        {problems.length > shownProblems && (
          <List.Item>… and {(problems.length - shownProblems).toLocaleString()} more</List.Item>
        )}
      </List>
      <Group mt="sm">
        <Button size="xs" variant="default" leftSection={<IconDownload size={14} />} onClick={download}>
          Download these rows
        </Button>
      </Group>
    </Alert>
  )
}
