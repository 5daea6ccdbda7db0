// Reads messages of CSI by the code that Go's drivers use, and writes them again.
//
//	oracle
//
// A message is its full name, such as csi.v1.Volume, and its bytes, each after its length in four
// bytes, with the highest first. An answer is a byte, 0 for bytes or 1 for an error, and the bytes
// or the text, likewise. Maps are written in the order of their keys. The program ends with its
// input.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"os"

	_ "github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

func again(name string, body []byte) ([]byte, error) {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		return nil, err
	}
	message := kind.New().Interface()
	if err := proto.Unmarshal(body, message); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(message)
}

func next(input io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(input, length[:]); err != nil {
		return nil, err
	}
	part := make([]byte, binary.BigEndian.Uint32(length[:]))
	_, err := io.ReadFull(input, part)
	return part, err
}

func answer(output io.Writer, sort byte, body []byte) error {
	head := append([]byte{sort}, binary.BigEndian.AppendUint32(nil, uint32(len(body)))...)
	_, err := output.Write(append(head, body...))
	return err
}

func run(input *bufio.Reader, output *bufio.Writer) error {
	for {
		name, err := next(input)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		body, err := next(input)
		if err != nil {
			return err
		}
		written, err := again(string(name), body)
		if err != nil {
			err = answer(output, 1, []byte(err.Error()))
		} else {
			err = answer(output, 0, written)
		}
		if err != nil {
			return err
		}
		if input.Buffered() == 0 {
			if err := output.Flush(); err != nil {
				return err
			}
		}
	}
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("oracle: ")
	if err := run(bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)); err != nil {
		log.Fatal(err)
	}
}
