import { Anchor, Box, Paper, Skeleton, Stack, Switch, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { notify } from '../../kit/ui/toast.tsx'
import { RetentionSettings } from './retention-settings.tsx'
import { SsoSettings } from './sso-settings.tsx'

const key = ['company', 'security']

/** Security settings of the company. */
export function SecuritySettings() {
  const { two_step: own } = useSession()
  const queries = useQueryClient()
  const [dialog, confirm] = useConfirm()
  const [failure, setFailure] = useState<unknown>()
  const { data, error, refetch } = useQuery({ queryKey: key, queryFn: () => api.get('/v1/company/security') })
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton height={160} />
  const save = async (isRequired: boolean) => {
    queries.setQueryData(key, await api.put('/v1/company/security', { body: { two_step_required: isRequired } }))
    notify(isRequired ? 'Two-step verification is now required' : 'Two-step verification is now optional')
  }
  const change = (isRequired: boolean) => {
    setFailure(undefined)
    const missing = data.users - data.users_with_two_step
    if (!isRequired || missing === 0) return void save(isRequired).catch(setFailure)
    confirm({
      title: 'Require two-step verification?',
      body: `${missing} of ${data.users} users have not set it up. They can do nothing else until they have, starting now; calls in progress continue.`,
      action: 'Require it',
      run: () => save(true),
    })
  }
  return (
    <Stack maw={680}>
      {dialog}
      <Paper withBorder p="lg" component="section" aria-label="Two-step verification">
        <Title order={2} size="h4" mb={4}>
          Two-step verification
        </Title>
        <Text size="sm" c="dimmed" mb="md">
          {data.users_with_two_step} of {data.users} users have set it up.
        </Text>
        <Switch
          label="Required for all users"
          description="Users without it are asked to set it up before anything else"
          checked={data.two_step_required}
          disabled={own !== 'on' && !data.two_step_required}
          onChange={(event) => change(event.currentTarget.checked)}
        />
        {own !== 'on' && !data.two_step_required && (
          <Text size="sm" mt="sm">
            Set it up for{' '}
            <Anchor component={Link} size="sm" to="/dashboard/account" underline="always">
              your own account
            </Anchor>{' '}
            first.
          </Text>
        )}
        {failure !== undefined && (
          <Box mt="md">
            <ErrorAlert error={failure} title="Setting not saved" />
          </Box>
        )}
      </Paper>
      <SsoSettings />
      <RetentionSettings />
    </Stack>
  )
}
