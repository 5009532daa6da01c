import { Button, type ButtonProps, FileButton } from '@mantine/core'
import { useRef } from 'react'

/** Chooses a file. The same file can be chosen again, such as after it was corrected. */
export function UploadButton({
  accept,
  onChoose,
  ...button
}: ButtonProps & { accept: string; onChoose: (file: File) => void }) {
  const reset = useRef<() => void>(null)
  const choose = (file: File | null) => {
    reset.current?.()
    if (file) onChoose(file)
  }
  return (
    <FileButton resetRef={reset} accept={accept} onChange={choose}>
      {(props) => <Button variant="default" {...button} {...props} />}
    </FileButton>
  )
}
