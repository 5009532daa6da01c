import {
  ActionIcon,
  AppShell,
  Avatar,
  Badge,
  Box,
  Burger,
  Center,
  Group,
  Loader,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconAddressBook,
  IconBook,
  IconBroadcast,
  IconBuildingBroadcastTower,
  IconBulb,
  IconChartBar,
  IconCode,
  IconDeviceMobile,
  IconHash,
  IconLogout,
  IconMessage,
  IconMoon,
  IconPhone,
  IconPlug,
  IconRobot,
  IconRouter,
  IconSettings,
  IconSun,
  IconTag,
  IconUser,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react'
import { Suspense } from 'react'
import { Link, Outlet, useLocation } from 'react-router'
import { useUnread } from '../kit/inbox/data.ts'
import { canViewDashboard, isAdmin, signOut, useSession } from '../kit/session.tsx'
import icon from '../kit/ui/icon.svg'
import { Reconnecting } from '../kit/ui/reconnecting.tsx'
import { useScheme } from '../kit/ui/scheme.ts'
import { notifyError } from '../kit/ui/toast.tsx'
import { useInboxWatch } from './messages/watch.ts'
import { OnlyPhone } from './only-phone.tsx'
import classes from './shell.module.css'

const places = [
  { to: '/dashboard/calls', label: 'Calls', icon: IconPhone },
  { to: '/dashboard/live', label: 'Live', icon: IconBroadcast },
  { to: '/dashboard/analytics', label: 'Analytics', icon: IconChartBar },
  { to: '/dashboard/intelligence', label: 'Conversation intelligence', icon: IconBulb },
  { to: '/dashboard/agents', label: 'AI agents', icon: IconRobot },
  { to: '/dashboard/numbers', label: 'Numbers', icon: IconHash },
  { to: '/dashboard/trunks', label: 'SIP trunks', icon: IconRouter, adminsOnly: true },
  { to: '/dashboard/messaging', label: 'SMS & WhatsApp', icon: IconBuildingBroadcastTower, adminsOnly: true },
  { to: '/dashboard/users', label: 'Users', icon: IconUser },
  { to: '/dashboard/teams', label: 'Teams', icon: IconUsersGroup },
  { to: '/dashboard/contacts', label: 'Contacts', icon: IconAddressBook },
  { to: '/dashboard/messages', label: 'Messages', icon: IconMessage },
  { to: '/dashboard/tags', label: 'Tags', icon: IconTag },
  { to: '/dashboard/integrations', label: 'Integrations', icon: IconPlug },
  { to: '/dashboard/webhooks', label: 'Webhooks', icon: IconWebhook },
  { to: '/dashboard/developers', label: 'Developers', icon: IconCode, adminsOnly: true },
  { to: '/dashboard/company', label: 'Settings', icon: IconSettings, adminsOnly: true },
]

/** Users without a dashboard role are sent to the phone app. */
export function Shell() {
  return canViewDashboard(useSession()) ? <Frame /> : <OnlyPhone />
}

/** Header, main menu and page. */
function Frame() {
  const session = useSession()
  useInboxWatch()
  const { data: unread = 0 } = useUnread()
  const { pathname } = useLocation()
  const [isOpen, { toggle, close }] = useDisclosure()
  const shown = places.filter(({ adminsOnly }) => !adminsOnly || isAdmin(session))
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'lg' }}
    >
      <a href="#page" className={classes.skip}>
        Skip to main content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={isOpen}
            />
            <Link to="/dashboard" className={classes.brand}>
              <img src={icon} alt="" width={26} height={26} />
              <Text fw={700}>Hookswitch</Text>
            </Link>
            <Text c="dimmed" size="sm" visibleFrom="xs" truncate>
              {session.company.name}
            </Text>
            {session.mode === 'sandbox' && (
              <Badge variant="light" color="yellow" visibleFrom="xs" flex="none">
                Sandbox
              </Badge>
            )}
          </Group>
          <Account />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Main">
        <AppShell.Section grow component={ScrollArea}>
          {shown.map(({ to, label, icon: Icon }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={label}
              leftSection={<Icon size={18} stroke={1.7} />}
              rightSection={
                label === 'Messages' &&
                unread > 0 && (
                  <Badge size="sm" role="img" aria-label={`${unread} unread`}>
                    {unread}
                  </Badge>
                )
              }
              active={pathname.startsWith(to)}
              {...(pathname.startsWith(to) && { 'aria-current': 'page' })}
              onClick={close}
              variant="light"
              className={classes.place}
            />
          ))}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} className={classes.main}>
        <div className={classes.banner}>
          <Reconnecting>Data on this page may be out of date.</Reconnecting>
        </div>
        <Box maw={1440} mx="auto">
          <Suspense
            fallback={
              <Center mih={240}>
                <Loader role="status" aria-label="Loading" />
              </Center>
            }
          >
            <Outlet />
          </Suspense>
        </Box>
      </AppShell.Main>
    </AppShell>
  )
}

function Account() {
  const { user } = useSession()
  const { scheme, toggleScheme } = useScheme()
  const leave = (everywhere: boolean) => {
    signOut(everywhere).catch((error: unknown) => notifyError(error, 'Sign-out failed'))
  }
  const other = scheme === 'dark' ? 'Switch to light mode' : 'Switch to dark mode'
  return (
    <Group gap="xs" wrap="nowrap" flex="none">
      <Tooltip label={other}>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={other} onClick={toggleScheme}>
          {scheme === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <ActionIcon variant="transparent" size={36} radius="xl" aria-label={`Account menu for ${user.name}`}>
            <Avatar color="sea" size={34} radius="xl" alt="">
              <IconUser size={18} />
            </Avatar>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {user.name} · {user.roles.join(', ')}
            <br />
            {user.email}
          </Menu.Label>
          <Menu.Item component={Link} to={`/dashboard/users/${user.id}`} leftSection={<IconUser size={16} />}>
            My profile
          </Menu.Item>
          <Menu.Item component="a" href="/phone" leftSection={<IconDeviceMobile size={16} />}>
            Phone app
          </Menu.Item>
          <Menu.Item component="a" href="/docs" leftSection={<IconBook size={16} />}>
            Documentation
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => leave(false)}>
            Sign out
          </Menu.Item>
          <Menu.Item onClick={() => leave(true)}>Sign out of all devices</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
