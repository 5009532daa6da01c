import { Avatar, Button, Center, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError, api } from '../kit/api.ts'
import { ErrorAlert } from '../kit/ui/error-alert.tsx'
import icon from '../kit/ui/icon.svg'

const token = decodeURIComponent(window.location.pathname.split('/')[2] ?? '')

/** Public page of the link in a scheduled report. Opening it changes nothing: mail scanners open links, too. */
export default function Unsubscribe() {
  useEffect(() => {
    document.title = 'Unsubscribe · Hookswitch'
  }, [])
  const look = useQuery({
    queryKey: ['report-subscription'],
    queryFn: () => api.post('/v1/report_subscription/look', { body: { token } }),
    retry: false,
  })
  const change = useMutation({
    mutationFn: (subscribed: boolean) => api.put('/v1/report_subscription', { body: { token, subscribed } }),
  })
  const subscription = change.data ?? look.data
  const isGone = look.error instanceof ApiError && look.error.status === 404
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder shadow="sm" p={{ base: 'lg', xs: 'xl' }} w="100%" maw={460}>
        <Stack gap="md" align="center" ta="center">
          <Avatar src={icon} size={64} radius="md" alt="" />
          <Title order={1} size="h2">
            {isGone ? 'Link not valid' : subscription?.subscribed === false ? 'Unsubscribed' : 'Unsubscribe'}
          </Title>
          {isGone && (
            <Text>The report no longer exists, or the link is incomplete. You do not receive it by this link.</Text>
          )}
          {look.error && !isGone && <ErrorAlert error={look.error} retry={() => void look.refetch()} />}
          {change.error && <ErrorAlert error={change.error} />}
          {look.isPending && <Loader />}
          {subscription && (
            <>
              <Text>
                {subscription.subscribed ? 'Stop sending the scheduled report ' : 'The scheduled report '}
                <b>{subscription.report_name}</b> of {subscription.company_name}{' '}
                {subscription.subscribed ? `to ${subscription.email}?` : `is no longer sent to ${subscription.email}.`}
              </Text>
              <Button
                fullWidth
                size="md"
                variant={subscription.subscribed ? 'filled' : 'default'}
                loading={change.isPending}
                onClick={() => change.mutate(!subscription.subscribed)}
              >
                {subscription.subscribed ? 'Unsubscribe' : 'Subscribe again'}
              </Button>
            </>
          )}
        </Stack>
      </Paper>
    </Center>
  )
}
