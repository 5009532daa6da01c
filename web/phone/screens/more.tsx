import { Badge, Stack, Text, Title } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { usePhone } from '../context.ts'
import css from '../phone.module.css'
import type { ListEntry } from '../screen-list.tsx'

/** In a column: the screens that have no place in the navigation. */
export function More({ lists }: { lists: readonly ListEntry[] }) {
  const { dispatch } = usePhone()
  return (
    <Stack gap="xs">
      <Title order={1} size="h4">
        More
      </Title>
      <ul className={css.plainList} aria-label="More screens">
        {lists.map(({ screen, label, icon: Icon, badge }) => (
          <li key={screen} className={css.listItem}>
            <button
              type="button"
              className={`${css.row} ${css.moreRow}`}
              onClick={() => dispatch({ type: 'screen', screen })}
            >
              <Icon size={22} stroke={1.7} aria-hidden />
              <Text flex={1} fw={550}>
                {label}
              </Text>
              {badge > 0 && (
                <>
                  <Badge size="sm" circle={badge < 10} aria-hidden>
                    {badge > 99 ? '99+' : badge}
                  </Badge>
                  <span className={css.unseen}>, {badge} unread</span>
                </>
              )}
              <IconChevronRight size={18} aria-hidden color="var(--mantine-color-dimmed)" />
            </button>
          </li>
        ))}
      </ul>
    </Stack>
  )
}
