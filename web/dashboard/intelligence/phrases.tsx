import { TagsInput, type TagsInputProps } from '@mantine/core'

/** Phrases added with Enter; text without Enter is added on blur. */
export function Phrases(props: Omit<TagsInputProps, 'splitChars' | 'acceptValueOnBlur'>) {
  return (
    <TagsInput
      placeholder={props.value?.length ? '' : 'Type and press Enter'}
      {...props}
      // Phrases can contain commas.
      splitChars={['\n']}
      acceptValueOnBlur
      clearable={false}
    />
  )
}
