package dev.holdfast.lock.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** OpenTelemetry behind Micrometer: keeps the spans of a trace as an exporter would get them. */
final class FinishedSpans implements SpanProcessor {

    private final List<SpanData> spans = new CopyOnWriteArrayList<>();

    /** The only span of that name. */
    SpanData named(String name) {
        List<SpanData> found =
                spans.stream().filter(span -> span.getName().equals(name)).toList();
        assertThat(found).as("'%s' among %s", name, names()).hasSize(1);
        return found.get(0);
    }

    List<String> names() {
        return spans.stream().map(SpanData::getName).toList();
    }

    /** Turns observations into spans. */
    DefaultTracingObservationHandler handler() {
        SdkTracerProvider provider =
                SdkTracerProvider.builder().addSpanProcessor(this).build();
        return new DefaultTracingObservationHandler(
                new OtelTracer(provider.get("test"), new OtelCurrentTraceContext(), event -> {}));
    }

    void forget() {
        spans.clear();
    }

    @Override
    public void onEnd(ReadableSpan span) {
        spans.add(span.toSpanData());
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
        return false;
    }
}
