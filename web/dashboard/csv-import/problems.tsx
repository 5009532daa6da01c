import { Alert, List } from '@mantine/core'

interface Problem {
  row: number
  errors: { message: string }[]
  duplicate_of: number | null
  same_as: number | null
}

const shownProblems = 50

/** Rows with errors and duplicates, by the number of their line. */
export function Problems({
  problems,
  same,
  known,
}: {
  problems: readonly Problem[]
  /** What two rows have in common: "same number as". */
  same: string
  /** "a contact has this number already" */
  known: (id: number) => string
}) {
  if (problems.length === 0) return null
  return (
    <Alert variant="light" color="yellow" title="Rows to look at">
      <List size="sm">
        {problems.slice(0, shownProblems).map(({ row, errors, duplicate_of, same_as }) => (
          <List.Item key={row}>
            Row {row + 1}:{' '}
            {errors.length > 0
              ? errors.map(({ message }) => message).join('; ')
              : same_as !== null
                ? `${same} row ${same_as + 1}, is skipped`
                : known(duplicate_of ?? 0)}
          </List.Item>
        ))}
        {problems.length > shownProblems && (
          <List.Item>… and {(problems.length - shownProblems).toLocaleString()} more</List.Item>
        )}
      </List>
    </Alert>
  )
}
