import { TagsInput, type TagsInputProps } from '@mantine/core'

/** Words or sentences, each taken with Enter; one that was only typed is not lost when the field is left. */
export function Phrases(props: Omit<TagsInputProps, 'splitChars' | 'acceptValueOnBlur'>) {
  return (
    <TagsInput
      placeholder={props.value?.length ? '' : 'Write, then press Enter'}
      {...props}
      // A comma belongs to a sentence.
      splitChars={['\n']}
      acceptValueOnBlur
      clearable={false}
    />
  )
}
