package dev.holdfast.lock.benchmarks;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;

/** Counts the pub/sub messages that this JVM receives, whichever library receives them. Searches the received bytes. */
@ChannelHandler.Sharable
final class MessageCounter extends ChannelInboundHandlerAdapter {

    private static final byte[] MESSAGE = "message\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final LongAdder RECEIVED = new LongAdder();
    private static final MessageCounter INSTANCE = new MessageCounter();

    private MessageCounter() {}

    static void install(Channel channel) {
        channel.pipeline().addFirst(INSTANCE);
    }

    static long received() {
        return RECEIVED.sum();
    }

    /**
     * Counts the messages in the bytes of one read. A message that is split between two reads is missed, which is rare because messages are short.
     */
    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        if (read instanceof ByteBuf bytes) {
            RECEIVED.add(countIn(bytes));
        }
        context.fireChannelRead(read);
    }

    private static int countIn(ByteBuf bytes) {
        int found = 0;
        int last = bytes.writerIndex() - MESSAGE.length;
        for (int at = bytes.readerIndex(); at <= last; at++) {
            if (isMessage(bytes, at)) {
                found++;
                at += MESSAGE.length - 1;
            }
        }
        return found;
    }

    private static boolean isMessage(ByteBuf bytes, int at) {
        for (int i = 0; i < MESSAGE.length; i++) {
            if (bytes.getByte(at + i) != MESSAGE[i]) {
                return false;
            }
        }
        return true;
    }
}
