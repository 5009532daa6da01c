import { Anchor, Button, Group, Paper, Select, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { sessionKey } from '../../kit/session-query.ts'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { browserZone, zoneOf } from '../../kit/ui/time-zones.ts'
import { notify } from '../../kit/ui/toast.tsx'
import { countryChoices, likelyCountry } from '../parts/countries.ts'

/** Until the country of the company is known: without it, numbers as dialled at home are not understood. */
export function Region() {
  const session = useSession()
  const queries = useQueryClient()
  const [country, setCountry] = useState(likelyCountry(browserZone(), navigator.language) ?? null)
  const save = useMutation({
    mutationFn: () => api.put('/v1/company/settings', { body: { country } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['company'] })
      await queries.invalidateQueries({ queryKey: sessionKey })
      notify('Country saved')
    },
  })
  if (!isAdmin(session) || session.company.country !== null) return null
  return (
    <Paper withBorder p="lg" component="section" aria-label="Country and time zone">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            Where is {session.company.name}?
          </Title>
          <Text size="sm" c="dimmed">
            Phone numbers without a country code are read in this country.
          </Text>
        </div>
        <Group align="flex-end" gap="sm">
          <Select
            label="Country"
            searchable
            miw={220}
            data={countryChoices(country ? [country] : []).filter(({ value }) => /^[A-Z]{2}$/.test(value))}
            value={country}
            onChange={setCountry}
          />
          <Button loading={save.isPending} disabled={!country} onClick={() => save.mutate()}>
            Save country
          </Button>
        </Group>
        {save.error && <SaveError error={save.error} retry={() => save.mutate()} title="Country not saved" />}
        <Text size="sm" c="dimmed">
          Times are shown in {zoneOf(session.user)}.{' '}
          <Anchor component={Link} to="/dashboard/account" inherit underline="always">
            Change time zone
          </Anchor>
        </Text>
      </Stack>
    </Paper>
  )
}
