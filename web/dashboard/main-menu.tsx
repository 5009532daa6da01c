import { Badge, Collapse, NavLink, UnstyledButton } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { useUnread } from '../kit/inbox/data.ts'
import { useSession } from '../kit/session.tsx'
import { browserStorage } from '../kit/storage.ts'
import { count } from '../kit/ui/format.ts'
import { activeOf, useLiveAlerts } from './live/alerts.ts'
import { activePlace, type MenuPlace, menuFor } from './menu.ts'
import classes from './shell.module.css'

const collapsedKey = 'hookswitch.menu.collapsed'

/** The labels of collapsed groups, remembered in this browser. */
function useCollapsed(): [collapsed: readonly string[], toggle: (label: string) => void] {
  const [collapsed, setCollapsed] = useState(() => (browserStorage.read(collapsedKey) ?? '').split('|').filter(Boolean))
  const toggle = (label: string) => {
    const after = collapsed.includes(label) ? collapsed.filter((one) => one !== label) : [...collapsed, label]
    browserStorage.write(collapsedKey, after.join('|'))
    setCollapsed(after)
  }
  return [collapsed, toggle]
}

/** Pages in groups, each of which can be collapsed. */
export function MainMenu({ onOpen }: { onOpen: () => void }) {
  const { pathname } = useLocation()
  const [collapsed, toggle] = useCollapsed()
  const { groups, settings } = menuFor(useSession())
  const active = activePlace([...groups.flatMap(({ places }) => places), ...(settings ? [settings] : [])], pathname)
  return (
    <>
      {groups.map(({ label, places }) => {
        const isOpen = !collapsed.includes(label)
        const id = `menu-${label.toLowerCase().replaceAll(' ', '-')}`
        return (
          <div key={label} className={classes.group}>
            <UnstyledButton
              className={classes.groupHead}
              aria-expanded={isOpen}
              aria-controls={id}
              data-active={(!isOpen && active && places.includes(active)) || undefined}
              onClick={() => toggle(label)}
            >
              {label}
              <IconChevronDown size={14} className={classes.chevron} data-closed={!isOpen || undefined} aria-hidden />
            </UnstyledButton>
            <Collapse id={id} expanded={isOpen} transitionDuration={120}>
              {places.map((place) => (
                <MenuLink key={place.to} place={place} isActive={place === active} onOpen={onOpen} />
              ))}
            </Collapse>
          </div>
        )
      })}
      {settings && (
        <div className={classes.group}>
          <MenuLink place={settings} isActive={settings === active} onOpen={onOpen} />
        </div>
      )}
    </>
  )
}

function MenuLink({ place, isActive, onOpen }: { place: MenuPlace; isActive: boolean; onOpen: () => void }) {
  const { to, label, icon: Icon } = place
  const link = useRef<HTMLAnchorElement>(null)
  // The menu may be higher than the window.
  useEffect(() => {
    if (isActive) link.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])
  return (
    <NavLink
      ref={link}
      component={Link}
      to={to}
      label={label}
      leftSection={<Icon size={18} stroke={1.7} />}
      rightSection={badges[label]}
      active={isActive}
      {...(isActive && { 'aria-current': 'page' })}
      onClick={onOpen}
      variant="light"
      className={classes.place}
    />
  )
}

const badges: Record<string, ReactNode> = { Messages: <Unread />, Live: <RaisedAlerts /> }

function RaisedAlerts() {
  const { length } = activeOf(useLiveAlerts())
  if (length === 0) return null
  return (
    <Badge size="sm" color="red" role="img" aria-label={count(length, 'alert')}>
      {length}
    </Badge>
  )
}

function Unread() {
  const { data: unread = 0 } = useUnread()
  if (unread === 0) return null
  return (
    <Badge size="sm" role="img" aria-label={`${unread} unread`}>
      {unread}
    </Badge>
  )
}
