import { SimpleGrid } from '@mantine/core'
import { useSession } from '../../kit/session.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { zoneOf } from '../../kit/ui/time-zones.ts'
import { PeriodFields, SubjectFields } from '../analytics/filter-bar.tsx'
import { acrossOf } from './across.ts'

export function useAcross() {
  const filters = useFilters()
  const { user } = useSession()
  const zone = filters.get('zone') ?? zoneOf(user)
  return { filters, zone, asked: acrossOf(filters, zone) }
}

/** Date range, time zone, numbers, teams and agents. */
export function AcrossFilters({ filters, zone }: Pick<ReturnType<typeof useAcross>, 'filters' | 'zone'>) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="xs" role="search" aria-label="Conversations">
      <PeriodFields filters={filters} zone={zone} />
      <SubjectFields filters={filters} />
    </SimpleGrid>
  )
}
